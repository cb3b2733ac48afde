import { orderLimitSettings } from '@libs/order-drafts';
import { SettingRefused, choice, decimal, flag, integer, list, text, requireWebAddress } from '@libs/settings';

/** How much a request may ask for. */
export const limitSettings = {
  ...orderLimitSettings,
  MAX_QUOTE_AGE_SECONDS: decimal({
    meaning:
      'Age of a quote in seconds, since the gateway saw it change, from which on entries on its symbol are refused. Exits pass.',
    min: 0.1,
    max: 3_600,
  }),
  MAX_NUM_BARS: integer({
    meaning: 'Maximum `num_bars` of a request; a range of time has MAX_HISTORY_RANGE_DAYS.',
    default: 10_000,
    min: 1,
    max: 1_000_000,
  }),
  MAX_HISTORY_RANGE_DAYS: integer({
    meaning: 'Maximum range of a request for bars or ticks, in days; deals and orders have no limit.',
    default: 31,
    min: 1,
    max: 3_660,
  }),
};

/** Files, pages and logs. */
export const otherSettings = {
  ORDER_AUDIT_FILE: text({
    meaning: 'Audit log: append-only JSON lines.',
    default: '/config/order-audit.jsonl',
  }),
  KILL_SWITCH_FILE: text({
    meaning: 'The kill switch is active while this file exists.',
    default: '/config/kill-switch',
  }),
  EQUITY_DAYS: integer({
    meaning: 'Days of readings for GET /account/equity, one a minute; of all accounts together.',
    default: 90,
    min: 1,
    max: 3_660,
  }),
  CORS_ORIGINS: list({
    meaning: 'Origins whose pages may call the API from a browser.',
    defaultText: 'unset (none)',
    check: (origin) => {
      if (!/^https?:\/\/[^/*]+$/.test(origin)) {
        throw new SettingRefused(
          'must list origins like https://host:port: `*` and a trailing slash are not accepted; name each origin, without a path',
        );
      }
    },
  }),
  CONSOLE: flag({
    meaning: 'Serve the console at /console. The page can be loaded without a key; its data cannot.',
    default: true,
  }),
  CONSOLE_DAEMON_URL: text({
    meaning: 'Control port of a daemon whose strategies the console shows; the gateway only reads from it.',
    check: requireWebAddress,
  }),
  CONSOLE_DAEMON_TOKEN: text({
    meaning: 'DAEMON_CONTROL_TOKEN of that daemon, if it has one.',
    secret: true,
    pattern: /^\S+$/,
    shape: 'a value without spaces',
  }),
  DOCS_SCHEME: choice({ meaning: 'Scheme of the example URLs in the docs.', of: ['http', 'https'], default: 'http' }),
  CUSTOM_USER: text({ meaning: 'User of the remote desktop on port 3000.', defaultText: 'image default' }),
  PASSWORD: text({
    meaning: 'Password of the remote desktop on port 3000.',
    secret: true,
    defaultText: 'image default',
  }),
  LOG_LEVEL: choice({
    meaning: 'Lowest level that is logged; requests that only read are DEBUG.',
    of: ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'],
    default: 'INFO',
  }),
};
