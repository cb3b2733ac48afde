import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastMarket, replayOf } from '../e2e/programs/markets';
import { Scratch } from '../e2e/programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../e2e/programs/started-program';
import { DaemonProgram, type StatusBody } from '../e2e/daemon/daemon-program';
import { DrillRig } from '../e2e/daemon/drill-rig';

interface Limits {
  readonly name: string;
  readonly halt: unknown;
  readonly peakEquity: string | null;
  readonly day: unknown;
}
type Money = Readonly<Record<'equity' | 'unrealized' | 'drawdownPct', number | null>>;
interface Book extends Money {
  readonly halted: boolean;
  readonly children: readonly (Omit<StatusBody, 'equity' | 'unrealized'> & Money)[];
}

/** Low for ten minutes, ten on the way up by 30 pips, and an hour up there; trading begins where it is about to be low. */
const [lowMinutes, risingMinutes, cycleMinutes] = [10, 10, 80];

/** EURUSD at 60 times its pace, so that a profit lasts for a minute once it is there. */
function steppingMarket(folder: string): Record<string, string> {
  const bids = Array.from({ length: (48 * 3_600) / 20 }, (_, index) => {
    const minute = ((index * 20) / 60) % cycleMinutes;
    // A price that never moves does not count as a quote.
    const up = Math.min(1, Math.max(0, (minute - lowMinutes) / risingMinutes));
    return 1.1 + 0.003 * up + (index % 2) * 0.00001;
  });
  const warmup = { SIM_REPLAY_WARMUP_BARS: String(cycleMinutes - 1) };
  return { ...fastMarket(60), ...replayOf(folder, bids, 20), ...warmup };
}

/** Buys once, where it is low. */
const buyLow = `if (!trade.warmingUp && trade.positions().length === 0 && bar.close < 1.1001) trade.buy('main', { volume: 1 });`;

describe('a restart while the gateway is away', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('makes no floating profit a loss: nothing is halted, no peak and no day is forgotten, nothing is made up', async () => {
    const rig = await DrillRig.start(scratch, steppingMarket(scratch.folder()));
    const stateDir = join(rig.folder, 'state');
    const config = join(rig.folder, 'daemon.yaml');
    const child = { alias: 'one', weight: 1, module: rig.module(buyLow), magic: 41_001 };
    const risk = { maxDrawdownPct: 5, maxDailyLoss: 250 };
    const document = {
      gateways: { demo: { url: rig.proxy.url, apiKeyEnv: 'API_KEY', maxClockSkewSeconds: 0 } },
      portfolios: [
        { name: 'book', capital: 5_000, risk, children: [{ ...child, risk, streams: { main: 'demo:EURUSD@M1' } }] },
      ],
    };
    writeFileSync(config, JSON.stringify(document));
    const start = () => DaemonProgram.start(scratch, { config, stateDir, env: { API_KEY: 'e2e-key' } });
    const book = (daemon: DaemonProgram, satisfies: (body: Book) => boolean) =>
      daemon.until<Book>('/status/book', satisfies);
    const limits = async (): Promise<readonly Limits[]> => {
      const args = [join(repository, 'dist/apps/daemon/src/main.js'), 'state', 'dump', '--state-dir', stateDir];
      const program = new StartedProgram({ command: process.execPath, args, env: bareEnvironment() });
      await program.exitCode();
      const { strategies } = JSON.parse(program.output) as { readonly strategies: readonly Limits[] };
      return strategies.map(({ name, halt, peakEquity, day }) => ({ name, halt, peakEquity, day }));
    };

    let daemon = await start();
    await book(daemon, ({ unrealized }) => Number(unrealized) > 280);
    const isHigh = ({ peakEquity }: Limits) => Number(peakEquity) > 5_280;
    while (!(await limits()).every(isHigh)) await daemon.status('book');
    await daemon.kill();
    const before = await limits();
    expect(before.map(({ name }) => name)).toEqual(['book', 'book/one']);
    expect(before.map(({ halt }) => halt)).toEqual([null, null]);

    rig.proxy.fault = () => 'lost-before';
    daemon = await start();
    // Long enough for several checks of the limits.
    await daemon.until<{ uptimeMs: number }>('/health', ({ uptimeMs }) => uptimeMs > 4_000);
    const unknown = { halted: false, equity: null, unrealized: null };
    expect(await book(daemon, () => true)).toMatchObject({
      ...{ ...unknown, drawdownPct: null },
      children: [{ ...unknown, positions: [{ symbol: 'EURUSD', side: 'buy', volume: 1, unrealized: null }] }],
    });
    const { text } = await daemon.call('/metrics');
    expect(text).toContain('daemon_strategy_realized{strategy="book/one"}');
    for (const figure of ['open_positions', 'equity', 'unrealized']) {
      expect(text).not.toContain(`daemon_strategy_${figure}{`);
    }
    expect(await limits()).toEqual(before);

    rig.proxy.fault = () => null;
    const back = await book(
      daemon,
      ({ unrealized, children }) => unrealized !== null && children[0]?.state === 'running',
    );
    expect(back.halted).toBe(false);
    expect(back.unrealized).toBeGreaterThan(280);
    const [known] = back.children;
    expect(known).toMatchObject({ halted: false, unrealized: back.unrealized, positions: [{ volume: 1 }] });
    expect((await daemon.call('/metrics')).text).toContain('daemon_strategy_open_positions{strategy="book/one"} 1');
    const after = await limits();
    expect([after.every(isHigh), ...after.map(({ halt }) => halt)]).toEqual([true, null, null]);
  });
});
