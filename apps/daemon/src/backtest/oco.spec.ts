import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backtest, type TestBar, type TestOptions, type TestRun } from '../strategy-testing';

const bar = (close: number, high = close, low = close): TestBar => [close, high, low, close];
const still = bar(1.1);

describe('orders of which the fill of one cancels the others, in a backtest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oco-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs a strategy that places a buy stop and a sell stop around 1.1 with its first bar. */
  function run(bars: readonly TestBar[], more = '', options: Partial<TestOptions> = {}): Promise<TestRun> {
    const file = join(folder, `${Math.random()}.ts`);
    writeFileSync(
      file,
      `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({ version: 1, params: class {}, streams: ['main'], create: () => {
  let bars = 0;
  let ids: readonly string[] = [];
  const stop = { stream: 'main', kind: 'stop', volume: 0.1 } as const;
  return {
    onBar(bar, trade) {
      if (++bars === 1) ids = trade.oco([
        { ...stop, side: 'buy', price: 1.101, sl: 1.09, tp: 1.12 },
        { ...stop, side: 'sell', price: 1.099, sl: 1.11, tp: 1.08 },
      ]);
      ${more}
    },
    onFill: (fill, trade) => trade.log('filled ' + fill.side + ' ' + ids.indexOf(fill.intentId ?? '')),
    onOrderGone: (gone, trade) => trade.log(gone.kind + ' ' + ids.indexOf(gone.intentId ?? '')),
  };
} });`,
    );
    return backtest(file, { bars, ...options });
  }
  const said = ({ logs }: TestRun) => logs.map(({ message }) => message);

  it('wait until the price reaches one of them; then the other is cancelled', async () => {
    const result = await run([still, still, bar(1.1015), bar(1.098), bar(1.098)]);
    expect(result.positions).toMatchObject([{ side: 'buy', sl: 1.09, tp: 1.12 }]);
    expect(said(result)).toEqual(['filled buy 0', 'cancelled 1']);
    expect([result.orders, result.rejects]).toEqual([[], []]);
  });

  it('do not both fill in a bar that reaches both', async () => {
    const result = await run([still, still, bar(1.1, 1.1012, 1.098), still]);
    // The way down comes first where both ways are of one length.
    expect(said(result)).toEqual(['filled sell 1', 'cancelled 0']);
  });

  it('both trade when the cancellation comes too late, and the strategy receives both fills', async () => {
    const result = await run([still, still, bar(1.1, 1.1012, 1.098), still, still], '', { latencyMs: 30_000 });
    expect(said(result).filter((line) => line.startsWith('filled'))).toEqual(['filled sell 1', 'filled buy 0']);
    expect(result.positions).toHaveLength(2);
  });

  it('stay when the other one is cancelled by the strategy', async () => {
    const result = await run([still, still, still, still], 'if (bars === 2) trade.cancel(trade.orders()[0] ?? 0);');
    expect(said(result)).toEqual(['cancelled 0']);
    expect(result.orders).toMatchObject([{ side: 'sell' }]);
  });

  it('stay when the other one is refused', async () => {
    const more = `if (bars === 2) trade.oco([
      { ...stop, side: 'buy', price: 1.05 }, { ...stop, side: 'sell', price: 1.05 },
    ]);`;
    const result = await run([still, still, still], more);
    expect(result.rejects).toHaveLength(1);
    expect(result.orders).toHaveLength(3);
  });

  it('are cancelled once when two groups fill at one price', async () => {
    const more = `if (bars === 1) trade.oco([
      { ...stop, side: 'buy', price: 1.103 }, { ...stop, side: 'sell', price: 1.097 },
    ]);`;
    const result = await run([still, still, bar(1.104), still], more);
    expect(said(result).filter((line) => line.startsWith('cancelled'))).toHaveLength(2);
    expect([result.positions.length, result.orders, result.rejects]).toEqual([2, [], []]);
  });

  it('are several groups, each for itself', async () => {
    const more = `if (bars === 1) trade.oco([
      { ...stop, side: 'buy', price: 1.103 }, { ...stop, side: 'sell', price: 1.097 },
    ]);`;
    const result = await run([still, still, bar(1.1015), bar(1.1015)], more);
    expect(result.positions).toHaveLength(1);
    expect(result.orders.map(({ price }) => price).sort()).toEqual([1.097, 1.103]);
  });
});
