import { SettingsError, type Setting } from '@libs/settings';
import { gatewaySettingGroups, readGatewaySettings } from './gateway.config';
import { serverTimeOptions } from './server-time/server-time-settings';
import { readHostLayout } from './terminal-host/host-layout.config';
import { hostOptions } from './terminal-host/host-options';
import { sessionOptions } from './terminal/session-settings';

/** Every default of the specification, in the unit of its name or description. */
const specified = {
  TERMINAL_ENABLE_ALGO_TRADING: true,
  TERMINAL_SERVER_ADDR: undefined,
  TERMINAL_AUTORESOLVE: true,
  TERMINAL_SETUP_URL: undefined,
  TERMINAL_SETUP_SHA256: undefined,
  TERMINAL_SETUP_ATTEMPTS: 3,
  TERMINAL_SETUP_TIMEOUT: 600,
  TERMINAL_API_PORT: 5001,
  TERMINAL_RECONNECT_ATTEMPTS: 3,
  TERMINAL_RECONNECT_BASE_DELAY: 1,
  TERMINAL_RECONNECT_COOLDOWN_SECONDS: 5,
  TERMINAL_RECONNECT_COOLDOWN_MAX_SECONDS: 60,
  TERMINAL_LOGIN_FIRST_TRIES: 36,
  TERMINAL_LOGIN_TRIES: 18,
  TERMINAL_CONNECTION_VERIFY_TTL_SECONDS: 30,
  TERMINAL_SERVER_TIME_ZONE: undefined,
  TERMINAL_SERVER_UTC_OFFSET_SECONDS: undefined,
  TERMINAL_TIME_REFERENCE_SYMBOL: undefined,
  TERMINAL_TIME_DERIVE_ATTEMPTS: 10,
  TERMINAL_TIME_DERIVE_DELAY: 0.5,
  TERMINAL_TIME_REFRESH_SECONDS: 600,
  TERMINAL_TIME_OFFSET_CONFIRMATIONS: 2,
  TERMINAL_TIME_MAX_OFFSET_AGE_SECONDS: 21_600,
  TERMINAL_TIME_ORDER_DERIVE_ATTEMPTS: 5,
  TERMINAL_TIME_ORDER_DERIVE_DELAY: 0.2,
  SYMBOL_WHITELIST: [],
  MAX_ORDER_VOLUME: 100,
  MAX_PRICE_DEVIATION_PCT: 20,
  MAX_ORDER_DEVIATION: 1_000,
  MAX_NUM_BARS: 10_000,
  MAX_HISTORY_RANGE_DAYS: 31,
  ORDER_AUDIT_FILE: '/config/order-audit.jsonl',
  KILL_SWITCH_FILE: '/config/kill-switch',
  CORS_ORIGINS: [],
  CONSOLE: true,
  CONSOLE_DAEMON_URL: undefined,
  CONSOLE_DAEMON_TOKEN: undefined,
  DOCS_SCHEME: 'http',
  LOG_LEVEL: 'INFO',
  API_KEY: undefined,
};

describe("the gateway's settings", () => {
  it('have the defaults of the specification', () => {
    expect(readGatewaySettings({})).toMatchObject(specified);
  });

  it('are in seconds if their name says so, and in milliseconds where the gateway waits', () => {
    const settings = readGatewaySettings({});
    expect(sessionOptions(settings)).toMatchObject({
      reconnectBaseDelayMs: 1_000,
      cooldownMs: 5_000,
      cooldownMaxMs: 60_000,
      verifyTtlMs: 30_000,
    });
    expect(serverTimeOptions(settings)).toMatchObject({
      deriveDelayMs: 500,
      refreshMs: 600_000,
      maxOffsetAgeMs: 21_600_000,
      orderDeriveDelayMs: 200,
    });
    expect(hostOptions(settings, readHostLayout({}))).toMatchObject({ setupTimeoutMs: 600_000 });
  });

  it('accept a server zone with a shift', () => {
    const zone = 'America/New_York+7';
    expect(readGatewaySettings({ TERMINAL_SERVER_TIME_ZONE: zone }).TERMINAL_SERVER_TIME_ZONE).toBe(zone);
  });

  it('keep the state next to the audit log by default', () => {
    expect(readGatewaySettings({ ORDER_AUDIT_FILE: '/srv/a/audit.jsonl' }).STATE_DIR).toBe('/srv/a');
    expect(readGatewaySettings({ STATE_DIR: '/srv/state' }).STATE_DIR).toBe('/srv/state');
  });

  it('reject faults of the simulator in front of a real terminal', () => {
    expect(readGatewaySettings({ SIM_FAULTS: '1' }).SIM_FAULTS).toBe(true);
    const wrong = { SIM_FAULTS: '1', SIM_HABITS: 'random', TERMINAL_DRIVER: 'bridge', MAX_NUM_BARS: '-7' };
    expect(() => readGatewaySettings(wrong)).toThrow(
      /MAX_NUM_BARS .*\n {2}SIM_FAULTS must be off.*\n {2}SIM_HABITS must be unset/,
    );
  });

  it.each([
    [{ API_KEY_NEXT: 'n', API_KEY_READONLY: 'r' }, ['API_KEY_NEXT', 'API_KEY_READONLY']],
    [{ API_KEY: 'k', API_KEY_NEXT: 'k', API_KEY_READONLY: 'r' }, ['API_KEY_NEXT']],
    [{ API_KEY: 'k', API_KEY_READONLY: 'k' }, ['API_KEY_READONLY']],
    [{ API_KEY: 'k', API_KEY_NEXT: 'n', API_KEY_READONLY: 'n' }, ['API_KEY_READONLY']],
    [{ API_KEY: 'k', API_KEY_NEXT: 'two words', API_KEY_READONLY: 'ö' }, ['API_KEY_NEXT', 'API_KEY_READONLY']],
    [{ API_KEY: 'k', API_KEY_NEXT: 'n', API_KEY_READONLY: 'r' }, []],
  ])('reject equal keys, and further keys without API_KEY: %j', (env, names) => {
    expect(problemsOf(env)).toEqual(names);
  });

  it('accept server names with dots and digits', () => {
    for (const name of ['Broker-MT5.Live 2', 'Demo-10.1', 'A.B.C']) {
      expect(readGatewaySettings({ TERMINAL_SERVER: name }).TERMINAL_SERVER).toBe(name);
    }
  });

  it('state the correct form of a rejected origin', () => {
    expect(() => readGatewaySettings({ CORS_ORIGINS: 'https://a.example/' })).toThrow(
      'CORS_ORIGINS must list origins like https://host:port: `*` and a trailing slash are not accepted; name each origin',
    );
  });

  it.each([
    ['TERMINAL_LOGIN', 'abc'],
    ['TERMINAL_SERVER', '10.0.0.1:443'],
    ['TERMINAL_SERVER', '192.168.1.1'],
    ['TERMINAL_SERVER', 'fe80::1'],
    ['TERMINAL_SERVER', '[2001:db8::1]'],
    ['TERMINAL_SERVER', 'servers.dat'],
    ['TERMINAL_SERVER', 'config\\Common.INI'],
    ['API_KEY', 'two words'],
    ['TERMINAL_SERVER_ADDR', 'nowhere'],
    ['TERMINAL_SERVER_ADDR', 'host:99999'],
    ['TERMINAL_BRIDGE_ADDR', 'host:0'],
    ['TERMINAL_RESOLVER_URL', 'ftp://x'],
    ['TERMINAL_SETUP_URL', 'setup.exe'],
    ['TERMINAL_SETUP_SHA256', 'abc'],
    ['TERMINAL_API_PORT', '70000'],
    ['TERMINAL_SERVER_TIME_ZONE', 'Mars/Olympus'],
    ['TERMINAL_SERVER_TIME_ZONE', '+03:00'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'https://a.example/'],
    ['LOG_LEVEL', 'chatty'],
    ['TERMINAL_DRIVER', 'telepathy'],
    ['TERMINAL_BRIDGE_ADDR', 'somewhere'],
    ['MAX_ORDER_VOLUME', '-1'],
    ['MAX_DAILY_LOSS', '0'],
    ['MAX_QUOTE_AGE_SECONDS', '10000'],
    ['IDEMPOTENCY_TTL_SECONDS', '1'],
    ['SYMBOL_WHITELIST', ','],
    ['SYMBOL_WHITELIST', ' '],
    ['KILL_SWITCH_FILE', ' '],
    ['KILL_SWITCH_FILE', '/config/kill-switch '],
    ['KILL_SWITCH_FILE', '"/config/kill-switch"'],
    ['TERMINAL_PASSWORD', '  '],
  ])('%s rejects an invalid value', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([name]);
  });

  const numbers = gatewaySettingGroups
    .flatMap(({ table }) => Object.entries<Setting<unknown>>(table))
    .filter(([, { accepts }]) => /^(number|integer|seconds)/.test(accepts));

  it('reject a number in any other form than plain decimals', () => {
    expect(numbers.length).toBeGreaterThan(40);
    for (const [name] of numbers) {
      for (const text of [
        '0x10',
        '1e3',
        '0.5 lots',
        '5s',
        '1,5',
        '1_000',
        'NaN',
        'Infinity',
        ' 5',
        '5 ',
        '9'.repeat(400),
      ])
        expect([text, problemsOf({ [name]: text })]).toEqual([text, [name]]);
    }
  });

  it('reject a name with a letter too few, under which a limit would be no limit', () => {
    const names = gatewaySettingGroups.flatMap(({ table }) => Object.keys(table)).filter((name) => name.length > 9);
    for (const name of names) {
      const slip = name.slice(0, 5) + name.slice(6);
      if (names.includes(slip) || slip === 'SIM_SEED') continue;
      expect([name, problemsOf({ [slip]: '1' })]).toEqual([name, [slip]]);
    }
    // Of the daemon, of the MCP server, of the process and of Kubernetes.
    const others = ['DAEMON_CONTROL_PORT', 'MCP_POLICY_FILE', 'GATEWAY_URL', 'GATEWAY_SERVICE_PORT', 'TERM', 'LOGNAME'];
    for (const name of others) expect([name, problemsOf({ [name]: '1' })]).toEqual([name, []]);
  });

  it('reject a time in the unit of another setting', () => {
    // Without a look-up of the price nothing is lost.
    const harmless = ['FILL_CONFIRM_TIMEOUT_MS'];
    const times = numbers.flatMap(([name, { accepts, fallback }]) => {
      if (typeof fallback !== 'number' || fallback === 0 || harmless.includes(name)) return [];
      if (name.endsWith('_MS')) return [[name, String(fallback / 1_000)] as const];
      return accepts.startsWith('seconds') ? [[name, String(fallback * 1_000)] as const] : [];
    });
    expect(times.length).toBeGreaterThan(12);
    for (const [name, text] of times) expect([name, text, problemsOf({ [name]: text })]).toEqual([name, text, [name]]);
  });

  it.each([
    [{ KILL_SWITCH_FILE: '/srv/audit.jsonl', ORDER_AUDIT_FILE: '/srv/audit.jsonl' }, ['ORDER_AUDIT_FILE']],
    [{ KILL_SWITCH_FILE: '/srv/./state/', STATE_DIR: '/srv/state' }, ['STATE_DIR']],
    [{ NOTIFIER_FILE: 'alerts.yml', SIGNALS_FILE: './alerts.yml' }, ['SIGNALS_FILE']],
    [{ SIM_STATE_FILE: '/config/kill-switch' }, ['SIM_STATE_FILE']],
    [{ STATE_DIR: '/config', ORDER_AUDIT_FILE: '/config/a' }, []],
  ])('reject one path for two things: a release would remove the other file: %j', (env, names) => {
    expect(problemsOf(env)).toEqual(names);
  });
});

/** The names of the settings that are rejected. */
function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readGatewaySettings(env);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.problems.map(({ name }) => name);
  }
}
