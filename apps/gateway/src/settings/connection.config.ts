import { isIP } from 'node:net';
import { SettingRefused, flag, integer, list, seconds, text, requireWebAddress } from '@libs/settings';
import { hostAndPort, keyForm } from './setting-forms';

/** Without all four, the gateway stays logged out. */
export const coreSettings = {
  TERMINAL_LOGIN: integer({
    meaning: 'Account number. The gateway logs in only when all four core settings are set.',
    min: 1,
  }),
  TERMINAL_PASSWORD: text({ meaning: 'Trading password of the account.', secret: true }),
  TERMINAL_SERVER: text({
    meaning: 'Name of the broker server, not an address or a file.',
    check: (value) => {
      const isAddress = isIP(value.replace(/^\[|\]$/g, '')) !== 0 || /:\d+$/.test(value);
      const isFile = /[/\\]|\.(dat|ini|srv|exe|lnk|cfg|txt)$/i.test(value);
      if (isAddress || isFile) throw new SettingRefused('must be a server name, not an address or a file');
    },
  }),
  API_KEY: text({
    meaning: 'Bearer token of all protected routes. While it is unset, they answer 401.',
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
    meaning: 'Address of the broker server, in place of name resolution.',
    ...hostAndPort,
  }),
  TERMINAL_AUTORESOLVE: flag({
    meaning: 'Resolve the server name to addresses; 0: log in by name only.',
    default: true,
  }),
  TERMINAL_RESOLVER_URL: list({
    meaning: 'Resolvers, asked in order after the built-in table of brokers.',
    check: requireWebAddress,
  }),
  TERMINAL_SETUP_URL: text({ meaning: 'Installer of the terminal to download.', check: requireWebAddress }),
  TERMINAL_SETUP_SHA256: text({
    meaning: 'SHA-256 of that installer; without it, nothing is installed.',
    pattern: /^[0-9A-Fa-f]{64}$/,
    shape: '64 hexadecimal digits',
  }),
  TERMINAL_SETUP_ATTEMPTS: integer({ meaning: 'Install attempts.', default: 3, min: 1, max: 100 }),
  TERMINAL_SETUP_TIMEOUT: seconds({
    meaning: 'Time after which an install attempt is killed and repeated.',
    default: 600,
    min: 1,
    max: 86_400,
  }),
  TERMINAL_API_PORT: integer({
    meaning: 'Port of the API; 0 picks a free one.',
    default: 5001,
    min: 0,
    max: 65_535,
  }),
  TERMINAL_RECONNECT_ATTEMPTS: integer({
    meaning: 'Attempts of a reconnect.',
    default: 3,
    min: 1,
    max: 1_000,
  }),
  TERMINAL_RECONNECT_BASE_DELAY: seconds({
    meaning: 'Pause after the first failed attempt; doubles with each one.',
    default: 1,
    min: 0,
    max: 300,
    defaultText: '1.0',
  }),
  TERMINAL_RECONNECT_COOLDOWN_SECONDS: seconds({
    meaning: 'Pause after a failed reconnect, in which requests are refused; doubles with each failure in a row.',
    default: 5,
    min: 0,
    max: 3_600,
  }),
  TERMINAL_RECONNECT_COOLDOWN_MAX_SECONDS: seconds({
    meaning: 'Longest pause.',
    default: 60,
    min: 0,
    max: 36_000,
  }),
  TERMINAL_RESTART_UNEXPLAINED: flag({
    meaning:
      'Restart the terminal of TERMINAL_HOST when the account stays unexplained for a minute and a new session did not help.',
    default: false,
  }),
  TERMINAL_LOGIN_FIRST_TRIES: integer({
    meaning: 'Login polls at the start, 5 seconds apart, for the first address.',
    default: 36,
    min: 1,
    max: 10_000,
  }),
  TERMINAL_LOGIN_TRIES: integer({
    meaning: 'The same for each later address.',
    default: 18,
    min: 1,
    max: 10_000,
  }),
  TERMINAL_CONNECTION_VERIFY_TTL_SECONDS: seconds({
    meaning: 'Time for which a verified connection is trusted.',
    default: 30,
    min: 0,
    max: 3_600,
  }),
};
