import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backtest, type TestBar, type TestOptions, type TestRun } from '../strategy-testing';

const bar = (close: number, high = close, low = close): TestBar => [close, high, low, close];
const still = bar(1.1);

describe('a trailing stop in a backtest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trail-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs a strategy that opens a position with its first bar and trails it from its fill on. */
  function run(
    bars: readonly TestBar[],
    trail: string,
    more = '',
    options: Partial<TestOptions> = {},
  ): Promise<TestRun> {
    const file = join(folder, `${Math.random()}.ts`);
    writeFileSync(
      file,
      `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({ version: 1, params: class { side: string = 'buy'; }, streams: ['main'],
create: ({ params: { side } }) => {
  let bars = 0;
  return {
    onBar(bar, trade) {
      const position = trade.position('main');
      if (++bars === 1) trade[side === 'buy' ? 'buy' : 'sell']('main', { volume: 0.1 });
      ${more}
    },
    onFill(fill, trade) {
      const position = trade.position('main');
      if (fill.entry === 'in' && position) trade.trail(position, ${trail});
    },
    onReject: (reject, trade) => trade.log(reject.kind + ': ' + reject.reason),
  };
} });`,
    );
    return backtest(file, { bars, ...options });
  }
  const closed = ({ fills }: TestRun) => fills.slice(1).map(({ reason, price }) => [reason, price]);

  it('follows the price inside bars, and closes at its place', async () => {
    // The high comes first: up to 1.104, so that the way down meets the stop-loss at 1.102.
    const rises = await run([still, still, bar(1.101, 1.104, 1.0995), still], '{ distance: 0.002 }');
    expect(closed(rises)).toEqual([['sl', 1.102]]);
    // The low comes first: at 1.1 the stop-loss is still at 1.098.
    const falls = await run([still, still, [1.0998, 1.104, 1.0995, 1.1035], bar(1.1035)], '{ distance: 0.002 }');
    expect(closed(falls)).toEqual([]);
    expect(falls.positions).toMatchObject([{ sl: 1.102, trail: { distance: 0.002, step: 0.0002, activateAt: null } }]);
  });

  it('follows a short position down', async () => {
    const bars: readonly TestBar[] = [
      still,
      still,
      bar(1.097),
      bar(1.096),
      [1.0975, 1.0982, 1.0975, 1.0982],
      bar(1.0982),
    ];
    expect(closed(await run(bars, '{ distance: 0.002 }', '', { params: { side: 'sell' } }))).toEqual([['sl', 1.098]]);
  });

  it('begins when the position has earned what activates it', async () => {
    const trail = '{ distance: 0.002, activateAt: 0.003 }';
    expect((await run([still, still, bar(1.1025), still], trail)).positions).toMatchObject([{ sl: 0 }]);
    expect((await run([still, still, bar(1.1032), bar(1.1025)], trail)).positions).toMatchObject([{ sl: 1.1012 }]);
  });

  it('moves by its step at least', async () => {
    const trail = '{ distance: 0.002, step: 0.001 }';
    const { positions } = await run([still, still, bar(1.1009), bar(1.1)], trail);
    expect(positions).toMatchObject([{ sl: 1.098 }]);
    expect((await run([still, still, bar(1.101), bar(1.1)], trail)).positions).toMatchObject([{ sl: 1.099 }]);
  });

  it('leaves the target and a nearer stop-loss of the strategy, and raises a farther one', async () => {
    const bars = [still, still, bar(1.102), bar(1.102), bar(1.102)];
    const near = await run(
      bars,
      '{ distance: 0.002 }',
      'if (bars === 3) trade.protect(position!, { sl: 1.1015, tp: 1.11 });',
    );
    expect(near.positions).toMatchObject([{ sl: 1.1015, tp: 1.11 }]);
    const far = await run(
      bars,
      '{ distance: 0.002 }',
      'if (bars === 3) trade.protect(position!, { sl: null, tp: 1.11 });',
    );
    expect(far.positions).toMatchObject([{ sl: 1.1, tp: 1.11 }]);
    expect([...near.rejects, ...far.rejects]).toEqual([]);
  });

  it('ends when the strategy ends it, and with the position', async () => {
    const bars = [still, still, bar(1.102), bar(1.102), bar(1.104)];
    const ended = await run(bars, '{ distance: 0.002 }', 'if (bars === 3) trade.trail(position!, null);');
    expect(ended.positions).toMatchObject([{ sl: 1.1, trail: null }]);
    const closing = await run(bars, '{ distance: 0.002 }', 'if (bars === 3) trade.close(position!);');
    expect([closing.positions, closing.rejects]).toEqual([[], []]);
  });

  it('shows its terms as an object of the context of the strategy, as everything that it reads', async () => {
    const more = 'if (bars === 2) trade.log(String(Object.getPrototypeOf(position!.trail) === Object.prototype));';
    const { logs } = await run([still, still, still], '{ distance: 0.002 }', more);
    expect(logs).toMatchObject([{ message: 'true' }]);
  });

  it('moves later with latency', async () => {
    const bars = [still, still, bar(1.101, 1.104, 1.0995), still];
    // The change arrives after the price has turned and passed its place.
    const late = await run(bars, '{ distance: 0.002 }', '', { latencyMs: 30_000 });
    expect(closed(late)).toEqual([]);
    expect(late.rejects).toMatchObject([
      { kind: 'rejected', reason: expect.stringContaining('sl: must be below 1.10000 ') },
    ]);
  });

  it('keeps the distance that the broker demands', async () => {
    const symbols = join(folder, 'symbols.json');
    writeFileSync(symbols, JSON.stringify({ symbols: [{ name: 'EURUSD', like: 'EURUSD', trade_stops_level: 500 }] }));
    const { positions, rejects } = await run([still, still, bar(1.103), bar(1.103)], '{ distance: 0.002 }', '', {
      broker: { SIM_SYMBOLS: symbols },
    });
    expect(positions).toMatchObject([{ sl: 1.098 }]);
    expect(rejects).toEqual([]);
  });

  it.each([
    ['{}', 'trail: a trailing stop needs a distance'],
    ['{ distance: 0 }', 'trail: distance must be a number above 0, not 0'],
    ['{ distance: 1, step: NaN }', 'trail: step must be a number above 0, not NaN'],
    ['{ distance: 1, activateAt: -1 }', 'trail: activateAt must be a number above 0, not -1'],
    ['5', 'trail: give { distance }, or null to end it, not 5'],
  ])('with the terms %s is an error of the strategy', async (trail, problem) => {
    await expect(run([still, still, still], trail)).rejects.toThrow(problem);
  });
});
