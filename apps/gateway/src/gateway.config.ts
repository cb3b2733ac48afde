import { isIP } from 'node:net';
import { dirname } from 'node:path';
import { orderLimitSettings } from '@libs/order-drafts';
import {
  SettingRefused,
  choice,
  flag,
  integer,
  list,
  readSettings,
  seconds,
  text,
  type SettingProblem,
  type SettingsOf,
} from '@libs/settings';
import { simulatorSettings } from '@libs/simulator';
import { parseServerZone } from './server-time/zone-setting';

const secret = true;
const keyForm = { secret, pattern: /^[\x21-\x7e]+$/, shape: 'printable ASCII without spaces' };

const core = {
  TERMINAL_LOGIN: integer({
    meaning: 'Broker account number. The gateway stays logged out unless all four core settings are set.',
    min: 1,
  }),
  TERMINAL_PASSWORD: text({ meaning: 'Trading password of the account.', secret }),
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

const connection = {
  TERMINAL_ENABLE_ALGO_TRADING: flag({
    meaning: 'Whether the terminal starts with live trading enabled.',
    default: true,
  }),
  TERMINAL_SERVER_ADDR: text({
    meaning: 'Explicit host:port of the broker server; skips name resolution.',
    pattern: /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/,
    shape: 'host:port',
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
    max: 3_600,
    defaultText: '1.0',
  }),
  TERMINAL_RECONNECT_COOLDOWN_SECONDS: seconds({
    meaning: 'Fail-fast window in seconds after a failed reconnect; doubles with each failure in a row.',
    default: 5,
    min: 0,
    max: 86_400,
  }),
  TERMINAL_RECONNECT_COOLDOWN_MAX_SECONDS: seconds({
    meaning: 'Maximum of that window in seconds.',
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
  TERMINAL_CONNECTION_VERIFY_TTL_SECONDS: seconds({
    meaning: 'Seconds for which a verified connection is trusted before it is probed again.',
    default: 30,
    min: 0,
    max: 86_400,
  }),
};

const serverTime = {
  TERMINAL_SERVER_TIME_ZONE: text({
    meaning:
      'IANA time zone of the broker server, including daylight saving changes; may have an offset in hours, as in America/New_York+7. Takes precedence over all other sources of the offset.',
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
      'Fixed offset of the broker server from UTC in seconds; takes precedence over the derived offset and ignores daylight saving changes.',
    min: -43_200,
    max: 50_400,
  }),
  TERMINAL_TIME_REFERENCE_SYMBOL: text({
    meaning:
      'Symbol that is tried first to derive the offset; when unset, the newest live quote of Market Watch is used.',
  }),
  TERMINAL_TIME_DERIVE_ATTEMPTS: integer({
    meaning: 'Reads of the candidate quotes when the offset is derived.',
    default: 10,
    min: 2,
    max: 1_000,
  }),
  TERMINAL_TIME_DERIVE_DELAY: seconds({ meaning: 'Seconds between those reads.', default: 0.5, min: 0, max: 60 }),
  TERMINAL_TIME_REFRESH_SECONDS: seconds({
    meaning: 'Seconds between derivations of the offset while connected; 0 disables them.',
    default: 600,
    min: 0,
    max: 604_800,
  }),
  TERMINAL_TIME_OFFSET_CONFIRMATIONS: integer({
    meaning: 'Number of consecutive new readings that must agree before the offset is replaced.',
    default: 2,
    min: 1,
    max: 100,
  }),
  TERMINAL_TIME_MAX_OFFSET_AGE_SECONDS: seconds({
    meaning: 'Maximum age in seconds of a derived offset that a GTD order may use.',
    default: 21_600,
    min: 1,
    max: 31_536_000,
  }),
  TERMINAL_TIME_ORDER_DERIVE_ATTEMPTS: integer({
    meaning: 'Number of times an order without a usable offset reads the quote of its symbol.',
    default: 5,
    min: 1,
    max: 1_000,
  }),
  TERMINAL_TIME_ORDER_DERIVE_DELAY: seconds({
    meaning: 'Seconds between those reads.',
    default: 0.2,
    min: 0,
    max: 60,
  }),
};

const limits = {
  ...orderLimitSettings,
  MAX_NUM_BARS: integer({ meaning: 'Maximum number of bars in one answer.', default: 10_000, min: 1, max: 1_000_000 }),
  MAX_HISTORY_RANGE_DAYS: integer({
    meaning: 'Maximum range of a request for bars or ticks, in days; requests for deals and orders are not limited.',
    default: 31,
    min: 1,
    max: 3_660,
  }),
};

const other = {
  ORDER_AUDIT_FILE: text({
    meaning: 'Order audit log: append-only JSON lines.',
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
  CONSOLE: flag({
    meaning: "Serve the operator's page at /console. The page needs no key; all that it shows does.",
    default: true,
  }),
  CONSOLE_DAEMON_URL: text({
    meaning:
      'Address of the control port of a daemon whose strategies the console shows. The gateway only reads from it.',
    check: requireWebAddress,
  }),
  CONSOLE_DAEMON_TOKEN: text({
    meaning: 'DAEMON_CONTROL_TOKEN of that daemon, if it has one.',
    secret,
    pattern: /^\S+$/,
    shape: 'a value without spaces',
  }),
  DOCS_SCHEME: choice({ meaning: 'Scheme of the example URLs in the docs.', of: ['http', 'https'], default: 'http' }),
  CUSTOM_USER: text({ meaning: 'User of the remote desktop on port 3000.', defaultText: 'image default' }),
  PASSWORD: text({ meaning: 'Password of the remote desktop on port 3000.', secret, defaultText: 'image default' }),
  LOG_LEVEL: choice({
    meaning: 'Lowest level that is logged; access logs of reads are DEBUG.',
    of: ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'],
    default: 'INFO',
  }),
};

const beyondSpec = {
  API_KEY_NEXT: text({
    meaning: 'A second key with the rights of API_KEY, so that clients can change from one key to the other.',
    ...keyForm,
  }),
  API_KEY_READONLY: text({
    meaning: 'A key that may only read: every GET and the streams; any request that changes something answers 403.',
    ...keyForm,
  }),
  TERMINAL_API_HOST: text({ meaning: 'Address that the API listens on.', default: '127.0.0.1' }),
  TERMINAL_PROBE_PORT: integer({
    meaning:
      'Port of a second listener that answers only GET /ready and /live, without the key and without details; 0 picks a free port.',
    min: 0,
    max: 65_535,
    defaultText: 'unset (off)',
  }),
  TERMINAL_DRIVER: choice({
    meaning: 'Terminal behind the API: the simulated broker in this process, or a bridge reached over the link.',
    of: ['simulator', 'bridge'],
    default: 'simulator',
  }),
  TERMINAL_HOST: flag({
    meaning: 'Start and supervise the real terminal; used by the terminal image.',
    default: false,
  }),
  TERMINAL_BRIDGE_ADDR: text({
    meaning: 'Address of the bridge.',
    default: '127.0.0.1:18812',
    pattern: /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/,
    shape: 'host:port',
  }),
  TERMINAL_LINK_ADDR: text({
    meaning:
      'Address that the gateway connects to if it reaches the bridge through a relay, for example that of `npm run verify:terminal`.',
    defaultText: 'TERMINAL_BRIDGE_ADDR',
    pattern: /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/,
    shape: 'host:port',
  }),
  TERMINAL_BRIDGE_TOKEN: text({ meaning: 'Token that the bridge requires.', secret }),
  TERMINAL_CALL_TIMEOUT_MS: integer({
    meaning: 'Deadline of a read from the terminal in milliseconds.',
    default: 10_000,
    min: 10,
    max: 600_000,
  }),
  TERMINAL_TRADE_TIMEOUT_MS: integer({
    meaning: 'Deadline of a send in milliseconds; after it, the outcome is unknown.',
    default: 20_000,
    min: 10,
    max: 600_000,
  }),
  IDEMPOTENCY_TTL_SECONDS: seconds({
    meaning:
      'Seconds for which the answer to a settled request is replayed unchanged, and for which a refused key stays bound to ' +
      'its parameters. Only time while the gateway runs is counted. Keys are kept for 100 days regardless of this setting.',
    default: 86_400,
    min: 60,
    max: 31_536_000,
  }),
  FILL_CONFIRM_TIMEOUT_MS: integer({
    meaning: "How long the price of a fill is looked up if the broker's answer lacks it, in milliseconds.",
    default: 3_000,
    min: 0,
    max: 60_000,
  }),
  FILL_CONFIRM_POLL_MS: integer({ meaning: 'Milliseconds between these look-ups.', default: 200, min: 1, max: 60_000 }),
  NOTIFIER_FILE: text({
    meaning: 'YAML file with the channels and rules of alerts; see docs/alerts.md.',
    defaultText: 'unset (no alerts)',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: text({
    meaning:
      'Base address of an OpenTelemetry receiver (OTLP over HTTP). Spans of trade requests are sent to it; OTEL_EXPORTER_OTLP_HEADERS may hold its credentials.',
    defaultText: 'unset (no spans)',
    check: requireWebAddress,
  }),
  STATE_DIR: text({
    meaning: 'Folder of the trade journal and the last server-time offset.',
    defaultText: 'folder of ORDER_AUDIT_FILE',
  }),
  SHUTDOWN_DRAIN_SECONDS: seconds({
    meaning: 'Seconds between reporting not ready and closing the sockets at shutdown.',
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

/**
 * The gateway's settings by variable name, each in the unit of its variable. Injectable by {@link GATEWAY_SETTINGS}.
 */
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
  const settings = readSettings(gatewaySettings, env, (read) => [...faultProblems(read), ...keyProblems(read)]);
  return { ...settings, STATE_DIR: settings.STATE_DIR ?? dirname(settings.ORDER_AUDIT_FILE) };
}

function faultProblems({ SIM_FAULTS, TERMINAL_DRIVER }: Partial<DeclaredSettings>): SettingProblem[] {
  if (!SIM_FAULTS || TERMINAL_DRIVER === 'simulator') return [];
  const problem = 'must be off unless TERMINAL_DRIVER is simulator: only the simulated broker supports faults';
  return [{ name: 'SIM_FAULTS', problem }];
}

/** Two keys that are equal would make the read-only key one that may trade, or a rotation one that changes nothing. */
function keyProblems(settings: Partial<DeclaredSettings>): SettingProblem[] {
  const names = ['API_KEY', 'API_KEY_NEXT', 'API_KEY_READONLY'] as const;
  return names.slice(1).flatMap((name, before) => {
    if (!settings[name]) return [];
    if (!settings.API_KEY) return [{ name, problem: 'must be unset unless API_KEY is valid' }];
    const same = names.slice(0, before + 1).find((other) => settings[other] === settings[name]);
    return same === undefined ? [] : [{ name, problem: `must differ from ${same}` }];
  });
}

function requireWebAddress(value: string): void {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new SettingRefused('must be an http or https URL');
  }
}
