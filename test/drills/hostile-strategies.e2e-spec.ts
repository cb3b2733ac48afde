import { join } from 'node:path';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { fastMarket } from '../e2e/programs/markets';
import { Scratch } from '../e2e/programs/scratch';
import { configuration, DaemonProgram, strategyFile, type StrategyText } from '../e2e/daemon/daemon-program';
import { flip } from '../e2e/daemon/drill-rig';

describe('a strategy that does harm', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let folder: string;
  let daemon: DaemonProgram;

  beforeEach(async () => {
    gateway = await GatewayProgram.startReady(scratch, fastMarket());
    folder = scratch.folder();
  });
  afterEach(() => scratch.clear());

  const module = (onBar: string, name: string) => strategyFile(folder, name, onBar);
  const start = async (...strategies: readonly StrategyText[]) => {
    daemon = await DaemonProgram.start(scratch, {
      config: configuration(folder, gateway.url, [
        ...strategies,
        { name: 'trader', module: module(flip, 'trader'), magic: 41009 },
      ]),
      stateDir: join(folder, 'state'),
      env: { API_KEY: 'e2e-key', DAEMON_MAX_HEAP_MB: '32', DAEMON_WATCHDOG_MS: '2000' },
    });
  };
  const lines = async (name: string) => (await daemon.call<{ lines: string[] }>(`/logs/${name}`)).body.lines;
  const failures = async (name: string) => (await lines(name)).filter((line) => / ERROR failed /.test(line));
  const untilFailures = async (name: string, count: number) => {
    while ((await failures(name)).length < count) await new Promise((wake) => setTimeout(wake, 100));
  };
  const residentMib = async (): Promise<number> => {
    const { text } = await daemon.call('/metrics');
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 1024 / 1024;
  };
  const tradesOn = async () => {
    const { trades } = await daemon.status('trader');
    await daemon.untilStatus('trader', (body) => body.state === 'running' && body.trades > trades + 2);
  };

  it.each([
    ['in its heap', `((globalThis as any).hoard ??= []).push(new Array(400_000).fill(bars));`],
    ['outside of its heap', `((globalThis as any).hoard ??= []).push(new Uint8Array(4_000_000).fill(1));`],
  ])('loses its thread when it leaks %s, starts again, and the daemon stays as it is', async (_where, leak) => {
    await start({ name: 'leaky', module: module(leak, 'leaky') });
    await daemon.untilStatus('leaky', ({ state }) => state === 'failed');
    expect((await daemon.status('leaky')).problem).toMatch(/memory/);
    await tradesOn();
    await daemon.untilStatus('leaky', ({ state }) => state === 'running');
    await untilFailures('leaky', 2);
    const before = await residentMib();
    await untilFailures('leaky', 4);
    // While the next thread leaks, its memory counts as well; what the ended ones had is given back.
    while ((await residentMib()) - before >= 60) await new Promise((wake) => setTimeout(wake, 100));
    const waits = (await failures('leaky')).map((line) => Number(/"retryInMs":(\d+)/.exec(line)?.[1]));
    expect(waits.slice(0, 4)).toEqual([500, 1_000, 2_000, 4_000]);
    // A crash loop shows also while the strategy happens to run.
    const leaky = await daemon.untilStatus('leaky', ({ state }) => state === 'running');
    expect(leaky.restarts).toBeGreaterThanOrEqual(4);
    expect(leaky.lastFailure?.reason).toMatch(/memory/);
    const health = await daemon.untilHealth(({ perStrategy: [row] }) => row?.state === 'running');
    expect(health).toMatchObject({ status: 'ok', condition: 'degraded' });
    expect(health.problems.join()).toMatch(
      /Strategy leaky is in a crash loop: \d+ failures without a minute of normal operation/,
    );
    await tradesOn();
  });

  it.each([
    ['ends its process', `if (!trade.warmingUp) (globalThis as any).process.exit(3);`, 'ended with code 3'],
    [
      'throws in a callback that is not awaited',
      `if (!trade.warmingUp) void Promise.reject(new Error('much later'));`,
      '5 handlers threw in a row',
    ],
    [
      'wants what cannot leave its thread',
      `if (bars > 60) trade.buy('main', { volume: (() => 1) as any });`,
      '5 handlers threw in a row',
    ],
  ])('hurts only itself when it %s', async (_what, onBar, problem) => {
    await start({ name: 'wild', module: module(onBar, 'wild') });
    const harmed = await daemon.untilStatus('wild', ({ state, halted }) => state === 'failed' || halted);
    expect(harmed.haltReason ?? harmed.problem).toContain(problem);
    await tradesOn();
  });

  it('is held to so many lines and entries of one event', async () => {
    const shout = `for (let line = 0; line < 10_000; line++) trade.log('again', { line });`;
    const grab = `if (!trade.warmingUp) for (let more = 0; more < 10_000; more++) trade.buy('main', { volume: 0.01 });`;
    await start(
      { name: 'shouting', module: module(shout, 'shouting') },
      { name: 'greedy', module: module(grab, 'greedy'), magic: 41002, more: { risk: { maxOpenPositions: 3 } } },
    );
    // The entries of the last event are still being denied when its error has halted it.
    const greedy = await daemon.untilStatus('greedy', ({ halted, orders }) => halted && orders.denied >= 5 * 97);
    expect(greedy.haltReason).toBe('5 handlers threw in a row');
    expect(greedy.positions.length).toBeLessThanOrEqual(3);
    const told = (await daemon.call<{ lines: string[] }>('/logs/greedy?lines=2000')).body.lines.join('\n');
    expect(told).toContain('maxOpenPositions 3 reached');
    expect(told).toMatch(/more than 100 entries in one event[^]*greedy\.ts:12:/);
    expect((await lines('shouting')).join('\n')).toContain('9800 more lines of this event were dropped');
    await tradesOn();
  });

  it('takes those along that share its thread, says who it was, and leaves the others alone', async () => {
    const shared = { workerGroup: 'shared' };
    await start(
      { name: 'hang', module: module(`if (!trade.warmingUp && bars > 20) for (;;);`, 'hang'), more: shared },
      { name: 'mate', module: module(flip, 'mate'), magic: 41002, more: shared },
    );
    await daemon.untilStatus('mate', ({ trades }) => trades >= 2);
    const lost = await daemon.untilStatus('mate', ({ state }) => state === 'failed');
    expect(lost.problem).toBe('hang ended the shared thread: no answer within 2000 ms: the thread was ended');
    await tradesOn();
    await daemon.untilStatus('mate', ({ state, trades }) => state === 'running' && trades > lost.trades);
    expect((await lines('trader')).filter((line) => line.includes(' running '))).toHaveLength(1);
  });
});
