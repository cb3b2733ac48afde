import { chmodSync, mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { configuration, DaemonProgram, strategyFile } from './daemon-program';
import { flip } from './drill-rig';

describe('the daemon’s state', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let folder: string;
  let stateDir: string;
  let file: string;
  beforeEach(async () => {
    gateway = await GatewayProgram.startReady(scratch, fastMarket());
    folder = scratch.folder();
    stateDir = join(folder, 'state');
    file = join(stateDir, 'state.lmdb');
  });
  afterEach(() => scratch.clear());

  const module = () => strategyFile(folder, 'flip', flip);
  const configured = () =>
    configuration(folder, gateway.url, [
      { name: 'broken', module: module() },
      { name: 'sound', module: module(), magic: 41002 },
    ]);
  const options = () => ({ config: configured(), stateDir, env: { API_KEY: 'e2e-key' } });
  /** Makes a record what no version ever wrote. */
  const spoil = async (database: string, key: string): Promise<void> => {
    const root = open({ path: file, maxDbs: 16 });
    await root.openDB<Buffer, string>({ name: database, encoding: 'binary' }).put(key, Buffer.from('{"realized'));
    await root.close();
  };
  const run = async (...args: string[]) => {
    const command = [join(repository, 'dist/apps/daemon/src/main.js'), ...args, '--state-dir', stateDir];
    const program = new StartedProgram({ command: process.execPath, args: command, env: bareEnvironment() });
    return { code: await program.exitCode(), output: program.output };
  };

  it('keeps only that strategy from starting whose part of it cannot be read, and is not written over', async () => {
    let daemon = await DaemonProgram.start(scratch, options());
    for (const name of ['broken', 'sound']) await daemon.untilStatus(name, ({ trades }) => trades >= 2);
    await daemon.stop();
    await spoil('strategies', 'broken');

    daemon = await DaemonProgram.start(scratch, options());
    const problem = expect.stringContaining(
      'the state cannot be read: strategies "broken" is not valid JSON',
    ) as string;
    const broken = await daemon.untilStatus('broken', ({ state }) => state === 'failed');
    expect(broken).toMatchObject({ problem, realized: null, equity: null, trades: null, persistence: { writes: 0 } });
    const { trades } = await daemon.status('sound');
    await daemon.untilStatus('sound', (body) => body.trades > trades + 2);
    const health = await daemon.untilHealth(({ gateways }) => gateways[0]?.account?.balance != null);
    expect(health).toMatchObject({
      status: 'ok',
      condition: 'degraded',
      gateways: [{ account: { unattributed: null, problem } }],
    });
    const { text } = await daemon.call('/metrics');
    for (const figure of ['realized', 'trades_total'])
      expect(text).not.toContain(`daemon_strategy_${figure}{strategy="broken"}`);
    expect(await daemon.status('broken')).toMatchObject({ state: 'failed', problem });
    const dump = await run('state', 'dump');
    expect(JSON.parse(dump.output)).toMatchObject({ strategies: [{ name: 'sound' }], unreadable: [problem] });
    const { body } = await daemon.call<{ lines: string[] }>('/logs/broken?level=error');
    expect(body.lines.filter((line) => line.includes('not started'))).toHaveLength(1);
  });

  it('halts the siblings of a child whose part cannot be read: their common limits cannot be held', async () => {
    const child = (alias: string, magic: number) => {
      return { alias, weight: 0.5, module: module(), magic, streams: { main: 'demo:EURUSD@M1' } };
    };
    const gateways = { demo: { url: gateway.url, apiKeyEnv: 'API_KEY', maxClockSkewSeconds: 0 } };
    const config = join(folder, 'daemon.yaml');
    const portfolios = [{ name: 'book', capital: 1_000, children: [child('one', 1), child('two', 2)] }];
    writeFileSync(config, JSON.stringify({ gateways, portfolios }));
    const start = () => DaemonProgram.start(scratch, { config, stateDir, env: { API_KEY: 'e2e-key' } });
    let daemon = await start();
    for (const name of ['book/one', 'book/two']) await daemon.untilStatus(name, ({ trades }) => trades >= 2);
    await daemon.stop();
    await spoil('strategies', 'book/one');
    daemon = await start();
    const sibling = await daemon.untilStatus('book/two', ({ halted }) => halted);
    expect(sibling.haltReason).toContain('portfolio book: the state cannot be read: strategies "book/one"');
    await daemon.untilStatus(
      'book/two',
      ({ positions, pendingOrders }) => positions.length + pendingOrders.length === 0,
    );
    expect(await daemon.status('book')).toMatchObject({
      ...{ state: 'failed', equity: null, realized: null, drawdownPct: null },
      problem: expect.stringContaining('"book/one"') as string,
    });
    expect((await daemon.call('/list')).body).toMatchObject([
      { name: 'book', state: 'failed', trades: null },
      { name: 'book/one', state: 'failed', trades: null },
      { name: 'book/two', state: 'halted' },
    ]);
  });

  it('forgets what has been over for longer than DAEMON_STATE_KEEP_DAYS, and loses no result by it', async () => {
    let daemon = await DaemonProgram.start(scratch, options());
    await daemon.untilStatus('sound', ({ trades }) => trades >= 4);
    await gateway.call('/kill', { method: 'POST' });
    const { realized } = await daemon.untilStatus('sound', ({ orders }) => orders.blocked > 0 && orders.inFlight === 0);
    await daemon.stop();
    const root = open({ path: file, maxDbs: 16 });
    const expiries = root.openDB<number, (string | number)[]>({ name: 'expiries', encoding: 'json' });
    // As if it had been over for two days already.
    for (const [atMs, ...key] of [...expiries.getKeys()]) {
      await expiries.put([Number(atMs) - 2 * 86_400_000, ...key], 1);
    }
    await root.close();
    const over = async (): Promise<number> => {
      const { output } = await run('state', 'dump');
      const dump = JSON.parse(output) as { tickets: { closed: boolean }[]; intents: { state: string }[] };
      const past = [dump.tickets.filter(({ closed }) => closed), dump.intents.filter(({ state }) => state === 'done')];
      return past.flat().length;
    };
    expect(await over()).toBeGreaterThanOrEqual(4);
    daemon = await DaemonProgram.start(scratch, {
      ...options(),
      env: { API_KEY: 'e2e-key', DAEMON_STATE_KEEP_DAYS: '1' },
    });
    while ((await over()) > 0) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await daemon.status('sound')).toMatchObject({ realized });
  });

  it('ends the start with a message when its file is cut off', async () => {
    const daemon = await DaemonProgram.start(scratch, options());
    await daemon.untilStatus('sound', ({ trades }) => trades >= 2);
    await daemon.kill();
    truncateSync(file, statSync(file).size - 4_096);
    const program = DaemonProgram.spawn(options());
    expect(await program.exitCode()).toBe(1);
    expect(program.output).toMatch(/^the state in .*state\.lmdb is damaged: the file is truncated/m);
  });

  it('ends the start with a message where it may not write', async () => {
    // A superuser may write wherever there is a directory, so there is none.
    mkdirSync(folder, { recursive: true });
    if (process.getuid?.() === 0) writeFileSync(stateDir, '');
    else {
      mkdirSync(stateDir);
      chmodSync(stateDir, 0o500);
    }
    const program = DaemonProgram.spawn(options());
    expect(await program.exitCode()).toBe(1);
    expect(program.output).toMatch(
      /state.*(EEXIST|ENOTDIR|EACCES|not a directory|Permission denied)|(EEXIST|EACCES).*state/,
    );
  });
});
