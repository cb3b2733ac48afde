import { freePort } from './ports.mjs';

/**
 * The settings with which the gateway's console shows the strategies of the daemon that is started beside it: the daemon gets a
 * port that is known before either starts, and the gateway its address and token. An address that is set is kept.
 */
export async function consoleOfDaemon(settings) {
  if (settings.CONSOLE_DAEMON_URL) return settings;
  const given = settings.DAEMON_CONTROL_PORT ?? '0';
  const port = given === '0' ? String(await freePort()) : given;
  return {
    ...tokenOf(settings),
    ...settings,
    DAEMON_CONTROL_PORT: port,
    CONSOLE_DAEMON_URL: `http://127.0.0.1:${port}`,
  };
}

function tokenOf({ DAEMON_CONTROL_TOKEN: token, DAEMON_CONTROL_TOKEN_FILE: file }) {
  if (token) return { CONSOLE_DAEMON_TOKEN: token };
  return file ? { CONSOLE_DAEMON_TOKEN_FILE: file } : {};
}
