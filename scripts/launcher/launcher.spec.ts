import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(__dirname, '../..');

interface Package {
  readonly scripts: Readonly<Record<string, string>>;
}

/** The value of an expression over one module of the launcher, which is made for Node itself and not for Jest. */
function valueOf(module: string, expression: string): unknown {
  const text = `import * as it from ${JSON.stringify(join(__dirname, module))};
    console.log(JSON.stringify((await (${expression})) ?? null));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', text], { encoding: 'utf8' });
  // Steps of a start are printed before.
  return JSON.parse(output.trim().split('\n').at(-1) ?? '');
}

describe('the help of a command of the repository', () => {
  it.each(['audit:verify', 'bench', 'build:client', 'check', 'docs', 'first-hour', 'mutate', 'test'])(
    'says how npm run %s is called, and does nothing else',
    (name) => {
      const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Package;
      const [, script = ''] = /node (\S+)/.exec(scripts[name] ?? '') ?? [];
      const said = execFileSync(process.execPath, [join(root, script), '--help'], { encoding: 'utf8' });
      expect(said).toMatch(new RegExp(`^\`npm (run )?${name}\\b`));
      expect(said).not.toMatch(/Building|written\.|still running/);
    },
  );
});

describe('the settings of npm start', () => {
  const zoneWith = (env: object): unknown => {
    const folder = JSON.stringify(mkdtempSync(join(tmpdir(), 'launcher-')));
    const settings = `it.demoSettings(${JSON.stringify(env)}, ${folder}).settings`;
    return valueOf('demo-settings.mjs', `${settings}.TERMINAL_SERVER_TIME_ZONE`);
  };

  it('name a folder that the system does not make', () => {
    expect(() => zoneWith({ KILL_SWITCH_FILE: '/proc/1/none/a/kill' })).toThrow(
      /\(KILL_SWITCH_FILE\) cannot be created/,
    );
  });

  it.each([
    ['nothing at the pace of the clock, whose quotes give the offset', {}, null],
    ['the zone at another pace', { SIM_SPEED: '120' }, 'Europe/Athens'],
    ['the zone that is set', { SIM_SPEED: '120', SIM_SERVER_TIME_ZONE: 'Asia/Tokyo' }, 'Asia/Tokyo'],
    ["the gateway's own zone first", { SIM_SPEED: '2', TERMINAL_SERVER_TIME_ZONE: 'UTC' }, 'UTC'],
    ['a fixed offset first', { SIM_SPEED: '2', TERMINAL_SERVER_UTC_OFFSET_SECONDS: '0' }, null],
    ['nothing of a real terminal', { SIM_SPEED: '2', TERMINAL_DRIVER: 'bridge' }, null],
  ])("give the gateway the simulated server's clock %s", (_, env, zone) => {
    expect(zoneWith(env)).toBe(zone);
  });
});

describe('the build of npm start', () => {
  it('is made again for a changed source, not for a test or for what another build has written', () => {
    const folder = mkdtempSync(join(tmpdir(), 'launcher-'));
    const sources = ['client/src/a.ts', 'client/src/page.css'];
    const others = ['client/src/a.spec.ts', 'client/dist/types/a.d.ts', 'client/node_modules/b/index.d.ts'];
    for (const file of [...sources, ...others]) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    const found = valueOf('build.mjs', `it.compiledSources(${JSON.stringify(folder)})`);
    expect(found).toEqual(sources.map((file) => join(folder, file)));
  });
});

describe('the gateway of npm start', () => {
  it('runs with the same limits on its memory as in both images', () => {
    const started = valueOf('product.mjs', 'it.gatewayArguments');
    const images = readFileSync(join(__dirname, '../../Dockerfile.gateway'), 'utf8').matchAll(
      /^CMD (\[.*main\.js"\])$/gm,
    );
    const commands = [...images].map(([, command = '']) => JSON.parse(command) as string[]);
    expect(commands).toHaveLength(2);
    for (const command of commands) {
      expect(command.filter((part) => !['node', '--enable-source-maps'].includes(part))).toEqual(started);
    }
  });
});

describe('the environment of the gateway of npm start', () => {
  const environment = (settings: object): unknown =>
    valueOf('product.mjs', `it.gatewayEnvironment(${JSON.stringify(settings)})`);

  it('limits the arenas of the C library as the image does, unless the caller sets another limit', () => {
    const image = readFileSync(join(__dirname, '../../Dockerfile.gateway'), 'utf8');
    const [, arenas] = /^ {4}MALLOC_ARENA_MAX=(\d+) /m.exec(image) ?? [];
    expect(environment({ SIM_SPEED: '1' })).toEqual({ MALLOC_ARENA_MAX: arenas, SIM_SPEED: '1' });
    expect(environment({ MALLOC_ARENA_MAX: '4' })).toEqual({ MALLOC_ARENA_MAX: '4' });
  });

  it('reaches the process', () => {
    const folder = mkdtempSync(join(tmpdir(), 'launcher-'));
    const [seen, first] = [join(folder, 'seen'), join(folder, 'first.cjs')];
    writeFileSync(
      first,
      `require('fs').writeFileSync(${JSON.stringify(seen)}, String(process.env.MALLOC_ARENA_MAX));process.exit()`,
    );
    const settings = { API_KEY: 'key', TERMINAL_API_PORT: '1', NODE_OPTIONS: `--require=${first}` };
    const product = `new it.Product(${JSON.stringify(settings)}, ${JSON.stringify(folder)})`;
    valueOf('product.mjs', `${product}.startGateway().catch(() => null)`);
    expect(readFileSync(seen, 'utf8')).toBe('1');
  });
});

describe('the environment of the daemon of npm start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'launcher-'));
  const config = join(folder, 'daemon.yaml');
  const settings = {
    ...{ TERMINAL_PASSWORD: 'p', SIM_PASSWORD: 'p', TERMINAL_LOGIN: '1', CHAT_TOKEN: 't', API_KEY_READONLY: 'r' },
    ...{ PATH: '/bin', DAEMON_CONTROL_TOKEN: 'c', API_KEY: 'k', TERMINAL_API_PORT: '1', OTHER_KEY: 'o' },
    ...{ MORE_KEY_FILE: '/key', LOG_LEVEL: 'INFO' },
  };
  const own = [
    'API_KEY',
    'DAEMON_CONTROL_TOKEN',
    'LOG_LEVEL',
    'MORE_KEY_FILE',
    'OTHER_KEY',
    'PATH',
    'TERMINAL_API_PORT',
  ];
  beforeAll(() => writeFileSync(config, 'gateways:\n  a: { url: "${OTHER_KEY:-x}", apiKeyEnv: MORE_KEY }\n'));

  it('has its own settings and the variables that its file names, and no secret of the gateway', () => {
    const given = valueOf(
      'daemon-environment.mjs',
      `it.daemonEnvironment(${JSON.stringify(settings)}, ${JSON.stringify(config)})`,
    );
    expect(Object.keys(given as object).sort()).toEqual(own);
  });

  it('is all that reaches the process', () => {
    const [seen, first] = [join(folder, 'seen'), join(folder, 'first.cjs')];
    const names = `JSON.stringify(Object.keys(process.env))`;
    writeFileSync(first, `require('fs').writeFileSync(${JSON.stringify(seen)}, ${names});process.exit()`);
    const all = { ...settings, NODE_OPTIONS: `--require=${first}`, DAEMON_STATE_DIR: folder };
    const product = `new it.Product(${JSON.stringify(all)}, ${JSON.stringify(folder)})`;
    valueOf('product.mjs', `${product}.startDaemon(${JSON.stringify(config)}).catch(() => null)`);
    const reached = JSON.parse(readFileSync(seen, 'utf8')) as string[];
    expect(reached).toEqual(expect.arrayContaining(own));
    for (const name of ['TERMINAL_PASSWORD', 'SIM_PASSWORD', 'CHAT_TOKEN', 'API_KEY_READONLY']) {
      expect(reached).not.toContain(name);
    }
  });
});

describe('the installation by npm start', () => {
  it('runs no install script of a package, whatever npm it is', () => {
    expect(valueOf('installation.mjs', 'it.installCommand()')).toEqual(
      expect.arrayContaining(['ci', '--ignore-scripts']),
    );
  });
});

describe('the arguments of npm start', () => {
  const filesOf = (args: readonly string[]): unknown =>
    valueOf('arguments.mjs', `it.readArguments(${JSON.stringify(args)}).replay.files`);

  it('name the symbol of a file where its name does not', () => {
    const folder = mkdtempSync(join(tmpdir(), 'launcher-'));
    const [bid, ask] = [join(folder, 'bid.csv'), join(folder, 'ask.csv')];
    for (const file of [bid, ask]) writeFileSync(file, '');
    expect(filesOf(['--replay', `US500=${bid}`, `US500=${ask}`])).toEqual([
      { path: bid, symbol: 'US500', feed: `US500=${bid}` },
      { path: ask, symbol: 'US500', feed: `US500=${ask}` },
    ]);
  });

  it('are a bid and an ask file a symbol', () => {
    expect(() => filesOf(['--replay', 'bid.csv'])).toThrow('needs two files per symbol');
  });
});

describe('the account of a replay', () => {
  const currencyOf = (...symbols: string[]): unknown =>
    valueOf('replay.mjs', `it.replayFeed({ files: ${JSON.stringify(symbols.map((symbol) => ({ symbol })))} }, {})`);

  it('is in dollars, or in the second currency of a cross, which no replayed pair converts to dollars', () => {
    expect(currencyOf('GBPUSD')).not.toHaveProperty('SIM_CURRENCY');
    expect(currencyOf('EURGBP', 'GBPUSD')).not.toHaveProperty('SIM_CURRENCY');
    expect(currencyOf('US500')).not.toHaveProperty('SIM_CURRENCY');
    expect(currencyOf('EURGBP')).toMatchObject({ SIM_CURRENCY: 'GBP' });
  });
});

describe('the daemon file of a replay', () => {
  it('has the shipped strategy for each replayed symbol, which share its capital', () => {
    const folder = mkdtempSync(join(tmpdir(), 'launcher-'));
    const path = valueOf(
      'replay-daemon-file.mjs',
      `it.replayDaemonFile(['EURUSD.m', 'US500'], ${JSON.stringify(folder)})`,
    );
    const text = readFileSync(String(path), 'utf8');
    expect(text).toMatch(
      /name: ema-eurusd\.m\n(?: .*\n)* {4}magic: 41002\n(?: .*\n)* {6}main: demo:EURUSD\.m@M1\n {4}capital: 5000/,
    );
    expect(text).toMatch(/name: ema-us500\n(?: .*\n)* {4}magic: 41003\n/);
  });
});

describe('the result of a replay', () => {
  const deal = (position: number, entry: number, volume: number): object => ({ position_id: position, entry, volume });

  it('counts closed positions as trades, as a backtest does, and all deals apart', () => {
    const deals = [
      deal(1, 0, 0.3),
      deal(1, 1, 0.1),
      deal(1, 1, 0.2),
      deal(2, 0, 0.1),
      deal(2, 1, 0.1),
      deal(3, 0, 0.1),
    ];
    expect(valueOf('replay-result.mjs', `it.closedPositions(${JSON.stringify(deals)})`)).toBe(2);
  });

  it('states what was refused and why, and is not sound when nothing was done but refused', () => {
    const strategy = { magic: 1, trades: 0, realized: 0, unrealized: 0, positions: [], missedBars: 0 };
    const orders = { rejected: 2, denied: 1, blocked: 0 };
    const booked = { realized: 0, balance: 1_000_000, deals: 0, costs: 0, dealCount: 0, roundTrips: 0 };
    const sums = {
      strategies: [{ ...strategy, orders }],
      account: { balance: 10_000, currency_digits: 2 },
      booked,
      floating: 0,
      unresolved: 0,
      lastRefusal: 'broker_rejected: the broker rejected the request: PRICE_OFF',
    };
    const result = valueOf(
      'replay-result.mjs',
      `it.replayResult({ balance: 10000 }, ${JSON.stringify(sums)}, { factor: 600, delay: null })`,
    );
    expect(result).toMatchObject({ isSound: false, text: expect.stringMatching(/Orders refused +3, .*PRICE_OFF/) });
  });

  describe.each([
    ['three decimals', 3, { gains: [0.004, 0.008], balance: '0.012  \\(10000.000 to 10000.012\\)', sum: '0.012' }],
    [
      'three decimals, with gains below a cent',
      3,
      { gains: [0.004, 0.004], balance: '0.008  \\(10000.000 to 10000.008\\)', sum: '0.008' },
    ],
    ['two decimals', 2, { gains: [0.1, 0.2], balance: '0.30  \\(10000.00 to 10000.30\\)', sum: '0.30' }],
    ['no decimals', 0, { gains: [152, 38], balance: '190  \\(10000 to 10190\\)', sum: '190' }],
  ])('in a currency of %s', (_, digits, { gains, balance, sum }) => {
    const orders = { rejected: 0, denied: 0, blocked: 0 };
    const strategy = { magic: 1, trades: 4, unrealized: 0, positions: [], missedBars: 0, orders };
    const earned = gains.reduce((one, other) => one + other);
    /** What the programs answer when the deals of one strategy add up to these gains. */
    const resultOf = (deals: readonly object[]): unknown => {
      const account = { balance: 10_000 + earned, currency_digits: digits };
      const answers = {
        '/status': [{ ...strategy, realized: earned }],
        '/account': account,
        '/reconcile?magic=1&lookback_hours=744': { deals, unresolved: [] },
        '/logs/1': { lines: [] },
      };
      const product = `(() => {
        const ask = (path) => ({ status: 200, body: ${JSON.stringify(answers)}[path] });
        return { askGateway: ask, askDaemon: ask };
      })()`;
      return valueOf(
        'replay-result.mjs',
        `it.sumsOf(${product}).then((sums) =>
          it.replayResult({ ...sums.account, balance: 10000 }, sums, { factor: 600, delay: null }))`,
      );
    };
    const dealOf = (profit: number) => ({ ...deal(1, 1, 0.1), profit, commission: 0, swap: 0, fee: 0 });

    it('adds up every deal in the digits of that currency', () => {
      expect(resultOf(gains.map(dealOf))).toEqual({
        isSound: true,
        text: expect.stringMatching(
          new RegExp(`strategies +${sum}\n.* ${balance}\n.*/reconcile +${sum}\n[^]*agree to the last digit`),
        ),
      });
    });

    it('notices that one digit of one deal is missing', () => {
      const lastDigit = 10 ** -digits;
      expect(resultOf([...gains.map(dealOf), dealOf(-lastDigit)])).toEqual({
        isSound: false,
        text: expect.stringContaining('THE SUMS DO NOT AGREE'),
      });
    });
  });

  it('states by how much market time fills came after their signals; pending orders wait for their price', () => {
    const events = [
      ['signal', { id: 'a', action: 'enter', options: {}, marketMs: 60_000 }],
      ['trade', { intentId: 'a', timeMs: 72_000 }],
      ['signal', { id: 'b', action: 'enter', options: { kind: 'limit', price: 1 }, marketMs: 60_000 }],
      ['trade', { intentId: 'b', timeMs: 9_000_000 }],
      ['signal', { id: 'c', action: 'close', marketMs: 120_000 }],
      ['trade', { intentId: 'c', timeMs: 124_000 }],
      ['trade', { intentId: null, timeMs: 125_000 }],
    ];
    const summary = `(() => { const delay = new it.FillDelay();
      for (const [event, data] of ${JSON.stringify(events)}) delay.note(event, data);
      return delay.summary; })()`;
    expect(valueOf('fill-delay.mjs', summary)).toEqual({ count: 2, meanMs: 8_000, maxMs: 12_000 });
  });
});

describe('the summary of npm test', () => {
  const one = (status: string) => ({ fullName: `a test that is ${status}`, status });
  const resultsWith = (status: string) => [
    {
      ...{ project: 'e2e', numPassedTests: 1, numFailedTests: 0, seconds: 12 },
      testResults: [{ name: 'x.ts', status: 'passed', message: '', assertionResults: [one('passed'), one(status)] }],
    },
  ];
  const summary = (mustRunAll: boolean, status = 'pending'): unknown =>
    valueOf(
      'suite-summary.mjs',
      `it.suiteSummary(${JSON.stringify(resultsWith(status))}, { mustRunAll: ${mustRunAll} })`,
    );

  it('names a test that did not run', () => {
    expect(summary(false)).toEqual({
      isSound: true,
      text: 'e2e             1 passed      0 failed          12 s\n\nNot run here:\n  e2e: a test that is pending\n\n1 passed, 0 failed',
    });
  });

  it('names a test that is optional, and does not count it as failed in CI', () => {
    expect(summary(true, 'todo')).toEqual({
      isSound: true,
      text: expect.stringMatching(/\n\nNot run here:\n {2}e2e: a test that is todo\n\n1 passed, 0 failed$/),
    });
  });

  it('counts it as failed in CI, which has all that a suite needs', () => {
    expect(summary(true)).toEqual({
      isSound: false,
      text: expect.stringMatching(
        /\n\nFailed:\n {2}e2e: a test that is pending {2}\(did not run\)\n\n1 passed, 1 failed$/,
      ),
    });
  });
});

describe('a file that failed and runs again', () => {
  const file = (name: string, status: string, tests: Record<string, string>) => ({
    ...{ name, status, message: '' },
    assertionResults: Object.entries(tests).map(([fullName, one]) => ({ fullName, status: one })),
  });
  const sound = file('sound.ts', 'passed', { a: 'passed' });
  const first = {
    ...{ project: 'e2e', seconds: 9, numPassedTests: 2, numFailedTests: 2 },
    testResults: [sound, file('weak.ts', 'failed', { b: 'passed', c: 'failed', d: 'failed' })],
  };
  const after = (second: object): unknown =>
    valueOf(
      'run-again.mjs',
      `it.afterSecondRun(${JSON.stringify(first)}, ${JSON.stringify({ project: 'e2e', ...second })})`,
    );
  const summary = (results: unknown): unknown =>
    valueOf('suite-summary.mjs', `it.suiteSummary([${JSON.stringify(results)}], { mustRunAll: true })`);

  it('is the one with the failed test', () => {
    const files = (result: object): unknown =>
      valueOf('run-again.mjs', `it.filesToRunAgain(${JSON.stringify(result)})`);
    expect(files(first)).toEqual(['weak.ts']);
    expect(files({ ...first, problem: 'the runner ended with SIGKILL and without results' })).toEqual([]);
  });

  it('passes by its second run, and its test is named', () => {
    const results = after({ testResults: [file('weak.ts', 'passed', { b: 'passed', c: 'passed', d: 'passed' })] });
    expect(summary(results)).toEqual({
      isSound: true,
      text: expect.stringMatching(
        /4 passed +0 failed .*\n\nFailed at first, passed when run again:\n {2}e2e: c {2}\(weak.ts\)\n {2}e2e: d {2}\(weak.ts\)\n\n4 passed, 0 failed$/,
      ),
    });
  });

  it('is named itself when it failed before its first test', () => {
    const unread = { ...first, testResults: [sound, file('weak.ts', 'failed', {})] };
    const second = { project: 'e2e', testResults: [file('weak.ts', 'passed', { b: 'passed' })] };
    const results = valueOf('run-again.mjs', `it.afterSecondRun(${JSON.stringify(unread)}, ${JSON.stringify(second)})`);
    expect(summary(results)).toEqual({
      isSound: true,
      text: expect.stringContaining('Failed at first, passed when run again:\n  e2e: weak.ts\n'),
    });
  });

  it('fails by its second run, also with a test that passed in the first', () => {
    const results = after({ testResults: [file('weak.ts', 'failed', { b: 'failed', c: 'passed', d: 'failed' })] });
    expect(summary(results)).toEqual({
      isSound: false,
      text: expect.stringMatching(
        /2 passed +2 failed .*again:\n {2}e2e: c {2}\(weak.ts\)\n\nFailed:\n {2}e2e: b {2}\(weak.ts\)\n {2}e2e: d .*\n\n2 passed, 2 failed$/s,
      ),
    });
  });

  it('stays failed when the second run ends without results', () => {
    const results = after({ problem: 'the runner ended with 1 and without results' });
    expect(summary(results)).toEqual({
      isSound: false,
      text: expect.stringMatching(/Failed:\n {2}e2e: in the second run the runner ended .*\n {2}e2e: c .*3 failed$/s),
    });
  });
});
