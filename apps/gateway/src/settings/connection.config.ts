import { isIP } from 'node:net';
import { SettingRefused, flag, integer, list, seconds, text, requireWebAddress } from '@libs/settings';
import { hostAndPort, keyForm } from './setting-forms';

/** Without all four, the gateway stays logged out. */
export const coreSettings = {
  TERMINAL_LOGIN: integer({
    meaning: 'Broker account number. The gateway stays logged out unless all four core settings are set.',
    min: 1,
  }),
  TERMINAL_PASSWORD: text({ meaning: 'Trading password of the account.', secret: true }),
  TERMINAL_SERVER: text({
    meaning: 'Broker server name, not an address or a file.',
    check: (value) => {
      const isAddress = isIP(value.replace(/^\[|\]$/g, '')) !== 0 || /:\d+$/.test(value);
      const isFile = /[/\\]|\.(dat|ini|srv|exe|lnk|cfg|txt)$/i.test(value);
      if (isAddress || isFile) throw new SettingRefused('must be a server name, not an address or a file');
    },
  }),
  API_KEY: text({
    meaning: 'Bearer token of all protected routes. While it is unset, every protected route answers 401.',
    ...keyForm,
  }),
};

/** How the terminal is installed, found, logged in and reconnected. */
export const connectionSettings = {
  TERMINAL_ENABLE_ALGO_TRADING: flag({
    meaning: 'Start the terminal with live trading enabled.',
    default: true,
  }),
  TERMINAL_SERVER_ADDR: text({
    meaning: 'Explicit host:port of the broker server; skips name resolution.',
    ...hostAndPort,
  }),
  TERMINAL_AUTORESOLVE: flag({
    meaning: 'Resolve the server name to addresses; when off, log in by name only.',
    default: true,
  }),
  TERMINAL_RESOLVER_URL: list({
    meaning: 'Resolver URLs, tried in order after the built-in broker table.',
    check: requireWebAddress,
  }),
  TERMINAL_SETUP_URL: text({ meaning: 'Broker-specific installer to download.', check: requireWebAddress }),
  TERMINAL_SETUP_SHA256: text({
    meaning: 'SHA-256 of that installer; without it, nothing is installed.',
    pattern: /^[0-9A-Fa-f]{64}$/,
    shape: '64 hexadecimal digits',
  }),
  TERMINAL_SETUP_ATTEMPTS: integer({ meaning: 'Maximum number of install attempts.', default: 3, min: 1, max: 100 }),
  TERMINAL_SETUP_TIMEOUT: seconds({
    meaning: 'Seconds after which an install attempt is killed and retried.',
    default: 600,
    min: 1,
    max: 86_400,
  }),
  TERMINAL_API_PORT: integer({
    meaning: 'Port that the API listens on; 0 picks a free port.',
    default: 5001,
    min: 0,
    max: 65_535,
  }),
  TERMINAL_RECONNECT_ATTEMPTS: integer({
    meaning: 'Reconnect attempts after a disconnect.',
    default: 3,
    min: 1,
    max: 1_000,
  }),
  TERMINAL_RECONNECT_BASE_DELAY: seconds({
    meaning: 'Base delay of the reconnect back-off in seconds; doubles with each attempt.',
    default: 1,
    min: 0,
    max: 300,
    defaultText: '1.0',
  }),
  TERMINAL_RECONNECT_COOLDOWN_SECONDS: seconds({
    meaning: 'Fail-fast window in seconds after a failed reconnect; doubles with each failure in a row.',
    default: 5,
    min: 0,
    max: 3_600,
  }),
  TERMINAL_RECONNECT_COOLDOWN_MAX_SECONDS: seconds({
    meaning: 'Maximum of that window in seconds.',
    default: 60,
    min: 0,
    max: 36_000,
  }),
  TERMINAL_RESTART_UNEXPLAINED: flag({
    meaning:
      'Restart the terminal of TERMINAL_HOST when its lists of the account stay unexplained for a minute, and a new session did not help.',
    default: false,
  }),
  TERMINAL_LOGIN_FIRST_TRIES: integer({
    meaning: 'Login polls at boot, 5 seconds apart, for the first candidate address.',
    default: 36,
    min: 1,
    max: 10_000,
  }),
  TERMINAL_LOGIN_TRIES: integer({
    meaning: 'Login polls at boot, 5 seconds apart, for each later candidate address.',
    default: 18,
    min: 1,
    max: 10_000,
  }),
  TERMINAL_CONNECTION_VERIFY_TTL_SECONDS: seconds({
    meaning: 'Seconds for which a verified connection is trusted before it is probed again.',
    default: 30,
    min: 0,
    max: 3_600,
  }),
};
