import { readFileSync } from 'node:fs';

/** Settings of the daemon and of the libraries that it uses. */
const ownSettings = /^(DAEMON_|OTEL_|PG|ESBUILD_|NODE_|LC_)/;
const ownNames = new Set([
  ...['LOG_LEVEL', 'API_KEY', 'TERMINAL_API_PORT'],
  ...['PATH', 'HOME', 'USER', 'LANG', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'MALLOC_ARENA_MAX'],
]);

/**
 * The environment of the daemon: its own settings, those of the system, and the variables that its configuration file names. Its
 * strategies can read all of it, so what the gateway needs to reach the broker and to send alerts is not among them.
 */
export function daemonEnvironment(settings, config) {
  const named = namesIn(config);
  const isOwn = (name) =>
    ownNames.has(name) || ownSettings.test(name) || named.has(name) || named.has(name.replace(/_FILE$/, ''));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => isOwn(name)));
}

/** What could be the name of a variable; of a file that cannot be read, which the daemon reports, there is none. */
function namesIn(config) {
  try {
    return new Set(readFileSync(config, 'utf8').match(/[A-Za-z_]\w*/g));
  } catch {
    return new Set();
  }
}
