import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backtest, type TestBar } from '@libs/strategy/testing';

const file = join(__dirname, 'opening-range.ts');
const params = { start: 420, length: 4, wait: 5, reward: 1, riskPct: 1 };
const flat: TestBar = [1.1, 1.1, 1.1, 1.1];
/** Four minutes from 07:00 with a high of 1.1010 and a low of 1.0990; the warm-up takes four before. */
const range: readonly TestBar[] = [
  ...Array<TestBar>(4).fill(flat),
  [1.1, 1.101, 1.1, 1.1],
  [1.1, 1.1, 1.099, 1.1],
  flat,
  flat,
];
const run = (...bars: readonly TestBar[]) =>
  backtest(file, { bars: [...range, ...bars], params, start: '2024-01-08T06:56' });

describe('opening-range', () => {
  const folder = mkdtempSync(join(tmpdir(), 'opening-range-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('waits on both sides of the range, a tick beyond it, with the set risk', async () => {
    const { orders, positions } = await run(flat);
    // 1 % of 10000 is 100; 202 points of a lot are 202.
    const rest = { kind: 'stop', volume: 0.49 };
    expect(orders).toMatchObject([
      { ...rest, side: 'buy', price: 1.10101, sl: 1.09899, tp: 1.10303 },
      { ...rest, side: 'sell', price: 1.09899, sl: 1.10101, tp: 1.09697 },
    ]);
    expect(positions).toEqual([]);
  });

  it('cancels the other order when one fills', async () => {
    const { orders, positions, rejects } = await run(
      flat,
      [1.1, 1.1015, 1.1, 1.1015],
      [1.1015, 1.1015, 1.1015, 1.1015],
    );
    expect(positions).toMatchObject([{ side: 'buy', avgPrice: 1.10101 }]);
    expect([orders, rejects]).toEqual([[], []]);
  });

  it('takes its target', async () => {
    const { trades, orders } = await run(flat, [1.1, 1.1, 1.0985, 1.0985], [1.0985, 1.0985, 1.0965, 1.097]);
    expect(trades).toMatchObject([{ side: 'sell', entryPrice: 1.09899, exitPrice: 1.09697, exitReason: 'tp' }]);
    expect(orders).toEqual([]);
  });

  it('places nothing when an order would be too close to the price', async () => {
    const symbols = join(folder, 'symbols.json');
    writeFileSync(symbols, JSON.stringify({ symbols: [{ name: 'EURUSD', trade_stops_level: 102 }] }));
    const bars = [...range, flat];
    const { orders, rejects, logs } = await backtest(file, {
      ...{ bars, params, start: '2024-01-08T06:56', broker: { SIM_SYMBOLS: symbols } },
    });
    expect([orders, rejects]).toEqual([[], []]);
    expect(logs).toMatchObject([{ message: 'no orders' }]);
  });

  it('lets the orders lapse', async () => {
    const { orders, fills } = await run(...Array<TestBar>(8).fill(flat));
    expect([orders, fills]).toEqual([[], []]);
  });
});
