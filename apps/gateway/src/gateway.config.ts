import { isIP } from 'node:net';
import { dirname } from 'node:path';
import {
  SettingRefused,
  choice,
  decimal,
  duration,
  flag,
  integer,
  list,
  readSettings,
  text,
  type SettingsOf,
} from '@libs/settings';
import { simulatorSettings } from '@libs/simulator';
import { parseServerZone } from './server-time/zone-setting';

const secret = true;

const core = {
  TERMINAL_LOGIN: integer({
    meaning: 'Broker account number. Without all of the four core settings the gateway stays logged out.',
    min: 1,
  }),
  TERMINAL_PASSWORD: text({ meaning: 'Trading password of the account.', secret }),
  TERMINAL_SERVER: text({
    meaning: 'Broker server name: a name, not an address or a file.',
    check: (value) => {
      const isAddress = isIP(value.replace(/^\[|\]$/g, '')) !== 0 || /:\d+$/.test(value);
      const isFile = /[/\\]|\.(dat|ini|srv|exe|lnk|cfg|txt)$/i.test(value);
      if (isAddress || isFile) throw new SettingRefused('must be a server name, not an address or a file');
    },
  }),
  API_KEY: text({
    meaning: 'Bearer token that every protected route wants. While it is unset they all answer 401.',
    secret,
    pattern: /^[\x21-\x7e]+$/,
    shape: 'printable ASCII without blanks',
  }),
};

const connection = {
  TERMINAL_ENABLE_ALGO_TRADING: flag({
    meaning: 'Whether the terminal boots with live trading enabled.',
    default: true,
  }),
  TERMINAL_SERVER_ADDR: text({
    meaning: 'Explicit host:port of the broker server; skips name resolution.',
    pattern: /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/,
    shape: 'host:port',
  }),
  TERMINAL_AUTORESOLVE: flag({
    meaning: 'Resolve the server name to addresses; when off, log in by the name alone.',
    default: true,
  }),
  TERMINAL_RESOLVER_URL: list({
    meaning: 'Resolver URLs, tried in order after the built-in broker table.',
    check: requireWebAddress,
  }),
  TERMINAL_SETUP_URL: text({ meaning: 'Broker-specific installer to download.', check: requireWebAddress }),
  TERMINAL_SETUP_SHA256: text({
    meaning: 'Checksum of that installer; without it nothing is installed.',
    pattern: /^[0-9A-Fa-f]{64}$/,
    shape: '64 hexadecimal digits',
  }),
  TERMINAL_SETUP_ATTEMPTS: integer({ meaning: 'Tries of a stuck or failed installer.', default: 3, min: 1, max: 100 }),
  TERMINAL_SETUP_TIMEOUT: duration({
    meaning: 'Seconds before one install attempt is killed and retried.',
    default: 600,
    min: 1,
    max: 86_400,
  }),
  TERMINAL_API_PORT: integer({
    meaning: 'Port the API listens on; 0 takes a free one.',
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
  TERMINAL_RECONNECT_BASE_DELAY: duration({
    meaning: 'Base of the reconnect back-off in seconds; doubles with each attempt.',
    default: 1,
    min: 0,
    max: 3_600,
    defaultText: '1.0',
  }),
  TERMINAL_RECONNECT_COOLDOWN_SECONDS: duration({
    meaning: 'Fail-fast window in seconds after a failed reconnect; doubles with each failure in a row.',
    default: 5,
    min: 0,
    max: 86_400,
  }),
  TERMINAL_RECONNECT_COOLDOWN_MAX_SECONDS: duration({
    meaning: 'Cap of that window in seconds.',
    default: 60,
    min: 0,
    max: 86_400,
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
  TERMINAL_CONNECTION_VERIFY_TTL_SECONDS: duration({
    meaning: 'Seconds for which a verified connection is trusted before it is probed again.',
    default: 30,
    min: 0,
    max: 86_400,
  }),
};

const serverTime = {
  TERMINAL_SERVER_TIME_ZONE: text({
    meaning:
      'IANA time zone of the broker server, followed through daylight changes; a shift may follow, as in America/New_York+7. Always wins when set.',
    check: (zone) => {
      try {
        parseServerZone(zone);
      } catch (error) {
        throw new SettingRefused(error instanceof RangeError ? error.message : 'must be an IANA time zone');
      }
    },
  }),
  TERMINAL_SERVER_UTC_OFFSET_SECONDS: integer({
    meaning:
      'Fixed offset of the broker server from UTC in seconds; wins over derivation, follows no daylight changes.',
    min: -43_200,
    max: 50_400,
  }),
  TERMINAL_TIME_REFERENCE_SYMBOL: text({
    meaning: 'Symbol tried first when the offset is derived; when unset, the freshest live quote of Market Watch.',
  }),
  TERMINAL_TIME_DERIVE_ATTEMPTS: integer({
    meaning: 'Reads of the candidate quotes when the offset is derived.',
    default: 10,
    min: 2,
    max: 1_000,
  }),
  TERMINAL_TIME_DERIVE_DELAY: duration({ meaning: 'Seconds between those reads.', default: 0.5, min: 0, max: 60 }),
  TERMINAL_TIME_REFRESH_SECONDS: duration({
    meaning: 'Period in seconds of deriving anew while connected; 0 switches it off.',
    default: 600,
    min: 0,
    max: 604_800,
  }),
  TERMINAL_TIME_OFFSET_CONFIRMATIONS: integer({
    meaning: 'Differing readings in a row that must agree before the offset is replaced.',
    default: 2,
    min: 1,
    max: 100,
  }),
  TERMINAL_TIME_MAX_OFFSET_AGE_SECONDS: duration({
    meaning: 'Greatest age in seconds of a derived offset that a GTD order may use.',
    default: 21_600,
    min: 1,
    max: 31_536_000,
  }),
  TERMINAL_TIME_ORDER_DERIVE_ATTEMPTS: integer({
    meaning: "Reads of its own symbol's quote by an order that finds no usable offset.",
    default: 5,
    min: 1,
    max: 1_000,
  }),
  TERMINAL_TIME_ORDER_DERIVE_DELAY: duration({
    meaning: 'Seconds between those reads.',
    default: 0.2,
    min: 0,
    max: 60,
  }),
};

const limits = {
  SYMBOL_WHITELIST: list({
    meaning: 'Symbols that may be traded; empty means any.',
    defaultText: 'unset (no restriction)',
  }),
  MAX_ORDER_VOLUME: decimal({ meaning: 'Most lots in one order.', default: 100, min: 0 }),
  MAX_PRICE_DEVIATION_PCT: decimal({
    meaning: 'Greatest deviation of a requested price from the market, in percent.',
    default: 20,
    min: 0,
  }),
  MAX_ORDER_DEVIATION: integer({ meaning: 'Greatest broker-side deviation in points.', default: 1_000, min: 0 }),
  MAX_ORDERS_PER_MINUTE: integer({
    meaning: 'Most entries sent in any 60 seconds. Exits are not counted and always pass.',
    min: 1,
  }),
  MAX_OPEN_VOLUME: decimal({
    meaning: 'Most lots open, all symbols together: positions, pending orders, requests in flight, unknown outcomes.',
    min: 0,
  }),
  MAX_OPEN_VOLUME_PER_SYMBOL: decimal({ meaning: 'The same for each symbol by itself.', min: 0 }),
  MAX_DAILY_LOSS: decimal({
    meaning:
      "Loss of the broker's day, closed and floating, in the account currency, from which on no entry is accepted.",
    min: 0.01,
  }),
  MAX_NUM_BARS: integer({ meaning: 'Most bars in one answer.', default: 10_000, min: 1, max: 1_000_000 }),
  MAX_HISTORY_RANGE_DAYS: integer({
    meaning: 'Longest range of a request for bars or ticks, in days; deals and orders have no limit.',
    default: 31,
    min: 1,
    max: 3_660,
  }),
};

const other = {
  ORDER_AUDIT_FILE: text({
    meaning: 'Append-only order audit log of JSON lines.',
    default: '/config/order-audit.jsonl',
  }),
  KILL_SWITCH_FILE: text({
    meaning: 'The kill switch is active exactly while this file exists.',
    default: '/config/kill-switch',
  }),
  CORS_ORIGINS: list({
    meaning: 'Origins whose pages may call the API from a browser.',
    defaultText: 'unset (CORS disabled)',
    check: (origin) => {
      if (!/^https?:\/\/[^/*]+$/.test(origin)) {
        throw new SettingRefused(
          'must list origins like https://host:port: `*` and a trailing slash are not accepted; name each origin, without a path',
        );
      }
    },
  }),
  DOCS_SCHEME: choice({ meaning: 'Scheme of the example URLs in the docs.', of: ['http', 'https'], default: 'http' }),
  CUSTOM_USER: text({ meaning: 'User of the remote desktop on port 3000.', defaultText: 'image default' }),
  PASSWORD: text({ meaning: 'Password of the remote desktop on port 3000.', secret, defaultText: 'image default' }),
  LOG_LEVEL: choice({
    meaning: 'Least level that is logged; access logs of reads are DEBUG.',
    of: ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'],
    default: 'INFO',
  }),
};

const beyondSpec = {
  TERMINAL_API_HOST: text({ meaning: 'Address the API listens on.', default: '127.0.0.1' }),
  TERMINAL_PROBE_PORT: integer({
    meaning:
      'Port of a second listener that answers GET /ready and /live without the key, and says no more than whether; 0 takes a free one.',
    min: 0,
    max: 65_535,
    defaultText: 'unset (off)',
  }),
  TERMINAL_DRIVER: choice({
    meaning: 'What stands behind the API: the simulated broker in this process, or a bridge reached over the link.',
    of: ['simulator', 'bridge'],
    default: 'simulator',
  }),
  TERMINAL_HOST: flag({ meaning: 'Start and supervise the real terminal; for the terminal image.', default: false }),
  TERMINAL_BRIDGE_ADDR: text({
    meaning: 'Where the bridge listens.',
    default: '127.0.0.1:18812',
    pattern: /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/,
    shape: 'host:port',
  }),
  TERMINAL_BRIDGE_TOKEN: text({ meaning: 'Token the bridge wants.', secret }),
  TERMINAL_CALL_TIMEOUT_MS: integer({
    meaning: 'Deadline of a read from the terminal in milliseconds.',
    default: 10_000,
    min: 10,
    max: 600_000,
  }),
  TERMINAL_TRADE_TIMEOUT_MS: integer({
    meaning: 'Deadline of a send in milliseconds; after it the outcome is unknown.',
    default: 20_000,
    min: 10,
    max: 600_000,
  }),
  IDEMPOTENCY_TTL_SECONDS: duration({
    meaning:
      'Seconds for which the answer to a settled request is replayed unchanged, and for which a refused key stays bound to ' +
      'its parameters. Only time in which the gateway runs counts. A key is known for 100 days, whatever this says.',
    default: 86_400,
    min: 60,
    max: 31_536_000,
  }),
  FILL_CONFIRM_TIMEOUT_MS: integer({
    meaning: 'How long a fill without a price is looked up, in milliseconds.',
    default: 3_000,
    min: 0,
    max: 60_000,
  }),
  FILL_CONFIRM_POLL_MS: integer({ meaning: 'Milliseconds between those look-ups.', default: 200, min: 1, max: 60_000 }),
  STATE_DIR: text({
    meaning: 'Folder of the trade journal and the last server-time offset.',
    defaultText: 'folder of ORDER_AUDIT_FILE',
  }),
  SHUTDOWN_DRAIN_SECONDS: duration({
    meaning: 'Seconds between not being ready any more and closing the sockets, at shutdown.',
    default: 0.5,
    min: 0,
    max: 300,
  }),
};

/** Every setting by topic, in the order of the documentation. */
export const gatewaySettingGroups = [
  { title: 'Core', table: core },
  { title: 'Connection and resolution', table: connection },
  { title: 'Server time', table: serverTime },
  { title: 'Limits', table: limits },
  { title: 'Other', table: other },
  { title: 'Process, bridge and journal', table: beyondSpec },
  { title: 'Simulated broker', table: simulatorSettings },
] as const;

const gatewaySettings = {
  ...core,
  ...connection,
  ...serverTime,
  ...limits,
  ...other,
  ...beyondSpec,
  ...simulatorSettings,
};

type DeclaredSettings = SettingsOf<typeof gatewaySettings>;

/** The gateway's settings by the names of their variables; durations in milliseconds. Injectable by {@link GATEWAY_SETTINGS}. */
export interface GatewaySettings extends Omit<DeclaredSettings, 'STATE_DIR'> {
  readonly STATE_DIR: string;
}

/** Injection token of {@link GatewaySettings}. */
export const GATEWAY_SETTINGS = Symbol('GATEWAY_SETTINGS');

/**
 * Reads and validates the whole environment.
 * @throws SettingsError listing all problems by variable name, never a value
 */
export function readGatewaySettings(env: Readonly<Record<string, string | undefined>> = process.env): GatewaySettings {
  const settings = readSettings(gatewaySettings, env);
  return { ...settings, STATE_DIR: settings.STATE_DIR ?? dirname(settings.ORDER_AUDIT_FILE) };
}

function requireWebAddress(value: string): void {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new SettingRefused('must be an http or https URL');
  }
}
