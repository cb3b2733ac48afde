import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { configuration, DaemonProgram, strategyFile } from './daemon-program';
import { holdOne } from './drill-rig';
import { FaultyProxy } from './faulty-proxy';

const main = join(repository, 'dist/apps/daemon/src/main.js');

describe('the daemon’s commands', () => {
  const scratch = new Scratch();
  let folder: string;
  let config: string;
  let url: string;

  beforeAll(async () => {
    const gateway = await GatewayProgram.startReady(scratch, fastMarket());
    url = gateway.url;
    folder = scratch.folder();
    const module = strategyFile(folder, 'thrower', `if (!trade.warmingUp && bars < 8) throw new Error('no idea');`);
    config = configuration(folder, url, [{ name: 'thrower', module }]);
  });
  afterAll(() => scratch.clear());

  const runOn = async (stateDir: string, ...args: string[]) => {
    const program = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'dist/apps/daemon/src/main.js'), ...args],
      env: { ...bareEnvironment(), API_KEY: 'e2e-key', DAEMON_STATE_DIR: stateDir },
    });
    const code = await program.exitCode();
    return { code, output: program.output };
  };
  const run = (...args: string[]) => runOn(join(folder, 'state'), ...args);

  it('check a configuration, its strategies and, when asked to, its gateways', async () => {
    expect(await run('check', '--config', config)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/strategy +thrower +ok +version 1/),
    });
    const online = await run('check', '--config', config, '--online');
    expect(online).toMatchObject({ code: 0, output: expect.stringMatching(/gateway +demo +ok +account 100001/) });
    const strange = configuration(scratch.folder(), url, [
      { name: 'thrower', module: join(folder, 'thrower.ts'), symbol: 'NOSUCH' },
    ]);
    expect(await run('check', '--config', strange)).toMatchObject({ code: 0 });
    expect(await run('check', '--config', strange, '--online')).toMatchObject({
      code: 1,
      output: expect.stringMatching(/stream of +thrower +FAILED +main: .*NOSUCH/),
    });
    writeFileSync(join(folder, 'broken.ts'), 'export default {');
    const broken = configuration(scratch.folder(), url, [{ name: 'broken', module: join(folder, 'broken.ts') }]);
    expect(await run('check', '--config', broken)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/broken +FAILED .*broken\.ts:1:/),
    });
  });

  it('say when no daemon runs, and refuse what they do not know', async () => {
    expect(await run('status')).toMatchObject({
      code: 1,
      output: expect.stringContaining('no daemon uses the state directory'),
    });
    expect(await run('statuss')).toMatchObject({ code: 2, output: expect.stringContaining('did you mean status?') });
    expect(await run('list', '--jsno')).toMatchObject({ code: 2, output: expect.stringContaining('--json') });
    for (const line of ['list -x', 'list extra', 'status thrower extra', 'logs thrower --lines 20000', '-x']) {
      expect([line, (await run(...line.split(' '))).code]).toEqual([line, 2]);
    }
  });

  it('show a running daemon, resume a halted strategy and print the state', async () => {
    const daemon = await DaemonProgram.start(scratch, {
      config,
      stateDir: join(folder, 'state'),
      env: { API_KEY: 'e2e-key', DAEMON_LATENCY_TRACKING: '1' },
    });
    await daemon.untilStatus('thrower', ({ halted }) => halted);
    expect((await run('list')).output).toMatch(/^NAME.*\nthrower +strategy +halted/);
    expect((await run('status', 'thrower')).output).toContain('5 handlers threw in a row');
    expect((await run('logs', 'thrower', '--level', 'error')).output).toContain('no idea');
    const follower = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'dist/apps/daemon/src/main.js'), 'logs', 'thrower', '-f', '--lines', '0'],
      env: { ...bareEnvironment(), DAEMON_STATE_DIR: join(folder, 'state') },
    });
    scratch.undo(() => follower.stop());
    expect((await run('latency')).output).toMatch(/thrower +strategy +\d+/);
    expect(JSON.parse((await run('status', '--json')).output)).toMatchObject([{ name: 'thrower', halted: true }]);
    expect(await run('resume', 'thrower')).toEqual({ code: 0, output: 'thrower resumed' });
    await daemon.untilStatus('thrower', ({ halted, state }) => !halted && state === 'running');
    expect(await run('resume', 'thrower')).toEqual({ code: 1, output: 'thrower is not halted' });
    expect(await run('halt', 'thrower', '--reason', 'news at 14:30')).toEqual({ code: 0, output: 'thrower halted' });
    expect((await run('status', 'thrower')).output).toContain('news at 14:30');
    expect(await run('halt', 'thrower')).toEqual({ code: 0, output: 'thrower is halted: news at 14:30' });
    expect(await run('halt', 'missing')).toEqual({ code: 1, output: 'no strategy missing' });
    for (const line of ['status missing', 'positions missing', 'logs missing', 'list --jsno', 'trades missing']) {
      const { stdout, stderr } = spawnSync(process.execPath, [main, ...line.split(' '), '--json'], {
        ...{ encoding: 'utf8', env: { ...bareEnvironment(), DAEMON_STATE_DIR: join(folder, 'state') } },
      });
      expect([line, stdout, JSON.parse(stderr)]).toEqual([line, '', { ok: false, message: expect.any(String) }]);
    }
    const asJson = await run('halt', 'missing', '--json');
    expect([asJson.code, JSON.parse(asJson.output)]).toEqual([1, { ok: false, message: 'no strategy missing' }]);
    expect(await run('resume', 'thrower')).toEqual({ code: 0, output: 'thrower resumed' });
    // It has read none of the old lines, and follows the new ones.
    await follower.line(/INFO .*resumed/);
    expect(follower.output).not.toContain('no idea');
    expect(await run('resume', 'nobody')).toEqual({ code: 1, output: 'no strategy nobody' });
    for (const words of [
      ['state', 'dump'],
      ['state', 'dump', '--json'],
    ])
      expect(JSON.parse((await run(...words)).output)).toMatchObject({ strategies: [{ name: 'thrower', halt: null }] });
  });

  it('list the trades of a strategy, flatten it, and take over a changed configuration', async () => {
    const [ours, stateDir] = [scratch.folder(), join(scratch.folder(), 'state')];
    const buyer = { name: 'buyer', module: strategyFile(ours, 'buyer', holdOne), magic: 41_010 };
    const config = configuration(ours, url, [buyer]);
    const daemon = await DaemonProgram.start(scratch, { config, stateDir, env: { API_KEY: 'e2e-key' } });
    const { positions } = await daemon.untilStatus('buyer', (body) => body.positions.length === 1);
    const opened = await runOn(stateDir, 'positions', 'buyer');
    expect(opened.output).toMatch(
      new RegExp(`buyer +demo +${positions[0]?.ticket} +EURUSD +buy +0\\.1 +\\d\\.\\d{5} `),
    );
    const trades = async () => {
      const { code, output } = await runOn(stateDir, 'trades', 'buyer', '--config', config, '--json');
      expect(code).toBe(0);
      return JSON.parse(output) as { records: string; trades: { position: number; realized: number }[] };
    };
    expect(await trades()).toMatchObject({
      ...{ records: 'daemon', accounts: [{ login: 100001, tradeMode: 'demo' }] },
      trades: [{ position: positions[0]?.ticket, side: 'buy', knownBy: 'records', closedMs: null }],
    });
    expect(await runOn(stateDir, 'flatten', 'buyer', '--reason', 'news')).toEqual({
      ...{ code: 0, output: expect.stringMatching(/^buyer halted; it has 1 position, .*\nbuyer is flat$/) },
    });
    expect((await runOn(stateDir, 'status')).output).not.toContain('in flight');
    expect((await runOn(stateDir, 'positions')).output).toBe('no open positions');
    const { realized } = await daemon.status('buyer');
    expect(await daemon.status('buyer')).toMatchObject({ state: 'halted', haltReason: 'news', positions: [] });
    expect(await trades()).toMatchObject({ trades: [{ exitReason: 'strategy', realized, knownBy: 'records' }] });
    expect(await runOn(stateDir, 'flatten')).toMatchObject({ code: 2 });
    expect(await runOn(stateDir, 'flatten', 'nobody')).toEqual({ code: 1, output: 'no strategy nobody' });

    const text = readFileSync(config, 'utf8');
    expect(await runOn(stateDir, 'reload')).toEqual({
      ...{ code: 0, output: 'configuration reloaded: applied\nnothing has changed' },
    });
    writeFileSync(config, text.replace(/}$/, ',"nonsense":1}'));
    expect(await runOn(stateDir, 'reload', '--json')).toMatchObject({
      ...{ code: 1, output: expect.stringMatching(/"outcome": "refused"[^]*nonsense/) },
    });
    writeFileSync(config, text.replace('buyer', 'second').replace('41010', '41011'));
    const reloaded = await runOn(stateDir, 'reload');
    expect(reloaded).toEqual({
      ...{ code: 0, output: 'configuration reloaded: applied\nadded: second\nremoved: buyer' },
    });
    await daemon.stop();
    writeFileSync(config, text);
    const [html, out] = [join(ours, 'report.html'), join(ours, 'report.json')];
    expect(
      await runOn(stateDir, 'report', 'buyer', '--config', config, '--html', html, '--out', out, '--monte-carlo', '9'),
    ).toMatchObject({
      ...{ code: 0, output: expect.stringMatching(/^net profit +-?\d+\.\d\d USD$/m) },
    });
    const report = JSON.parse(readFileSync(out, 'utf8')) as { range: { bars: number }; equity: number[][] };
    expect(report).toMatchObject({
      monteCarlo: null,
      live: { accounts: [{ login: 100001, tradeMode: 'demo' }], records: 'state directory' },
      ...{ haltReason: 'news', figures: { netProfit: realized, trades: 1 }, trades: [{ realized }] },
    });
    expect(report.range.bars).toBeGreaterThan(0);
    expect(report.equity.at(-1)?.[1]).toBeCloseTo(10_000 + realized, 2);
    expect(readFileSync(html, 'utf8')).toContain('What this page cannot know');
    expect(await trades()).toMatchObject({ records: 'state directory', trades: [{ realized }] });
  });

  it('print all of a long answer into a pipe with a slow reader, and end quietly when the reader leaves', async () => {
    const stateDir = join(scratch.folder(), 'state');
    mkdirSync(join(stateDir, 'logs'), { recursive: true });
    const lines = Array.from({ length: 5_000 }, (_, index) => {
      const micros = String(index).padStart(6, '0');
      return `2020-01-01T00:00:00.${micros}Z INFO line ${index} ${'x'.repeat(60)}`;
    });
    writeFileSync(join(stateDir, 'logs', 'idle.log'), `${lines.join('\n')}\n`);
    const ours = scratch.folder();
    const idle = configuration(ours, url, [{ name: 'idle', module: strategyFile(ours, 'idle', '') }]);
    await DaemonProgram.start(scratch, { config: idle, stateDir, env: { API_KEY: 'e2e-key' } });
    const piped = async (reader: string) => {
      const program = new StartedProgram({
        command: 'sh',
        args: [
          '-c',
          `{ "$0" "$1" logs idle --lines 5000 --json; echo "code $?" >&2; } | { ${reader}; }`,
          process.execPath,
          main,
        ],
        env: { ...bareEnvironment(), DAEMON_STATE_DIR: stateDir },
      });
      await program.exitCode();
      return program.lines;
    };
    const all = await piped('sleep 1; cat');
    expect(all).toContain('code 0');
    const body = JSON.parse(all.filter((line) => line !== 'code 0').join('\n')) as { lines: string[] };
    expect(body.lines.length).toBeGreaterThan(4_900);
    const left = await piped('head -n 1');
    expect(left.sort()).toEqual(['code 0', '{']);
  });

  it('backtest a strategy without the framework, the store, the client, the broker and the parser of configurations', () => {
    const command = join(repository, 'dist/apps/daemon/src/cli/backtest.command.js');
    const print = 'console.log(Object.keys(require.cache).join("\\n"))';
    const { stdout } = spawnSync(process.execPath, ['-e', `require(${JSON.stringify(command)}); ${print}`], {
      encoding: 'utf8',
    });
    expect(stdout).toContain('run-backtest.js');
    expect(stdout).not.toMatch(/node_modules\/(@nestjs|fastify|lmdb|yaml|rxjs)\//);
    // The thread has a broker of its own, in one file.
    expect(stdout).not.toMatch(/libs\/(gateway-client\/src\/gateway-client|simulator\/src\/simulator)\.js/);
  });

  it('settle a request that can no longer be followed', async () => {
    const [ours, stateDir] = [scratch.folder(), join(scratch.folder(), 'state')];
    const proxy = await FaultyProxy.start(url);
    scratch.undo(() => proxy.stop());
    let isAway = false;
    proxy.fault = (_method, path) => {
      isAway ||= path === '/order';
      return isAway ? 'lost-before' : null;
    };
    const buyer = { name: 'buyer', module: strategyFile(ours, 'buyer', holdOne), magic: 41_009 };
    const start = async (config: string) =>
      DaemonProgram.start(scratch, { config, stateDir, env: { API_KEY: 'e2e-key' } });
    const before = await start(configuration(ours, proxy.url, [buyer]));
    await before.untilStatus('buyer', ({ orders }) => orders.unknown === 1);
    await before.kill();
    // The gateway that it was sent to does not come back; the strategy continues at another.
    const config = configuration(ours, url, [{ ...buyer, module: strategyFile(ours, 'idle', '') }]);
    writeFileSync(config, readFileSync(config, 'utf8').replaceAll('demo', 'new'));
    const daemon = await start(config);
    const { problem } = await daemon.untilStatus('buyer', (body) => body.problem !== null && body.state === 'running');
    const [, key = ''] = /request (\S+) on demo/.exec(problem ?? '') ?? [];
    const settle = (...args: string[]) => runOn(stateDir, 'settle', ...args);
    expect(await settle('buyer', key)).toMatchObject({ code: 2, output: expect.stringContaining('--order TICKET or') });
    expect(await settle('buyer', key, '--order', '7')).toEqual({ code: 1, output: 'gateway demo is not configured' });
    expect(await settle('buyer', 'nonsense', '--undone')).toEqual({
      ...{ code: 1, output: 'the strategy has no in-flight request nonsense' },
    });
    expect(await settle('buyer', key, '--undone')).toEqual({ code: 0, output: `request ${key} of buyer settled` });
    expect(await daemon.status('buyer')).toMatchObject({ problem: null, orders: { inFlight: 0 } });
    expect(await settle('nobody', key, '--undone')).toEqual({ code: 1, output: 'no strategy nobody' });
  });
});
