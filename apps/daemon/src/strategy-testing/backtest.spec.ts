import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeTicks } from '../backtest/testing/written-prices';
import { backtest } from './backtest';
import type { TestBar, TestOptions } from './options';

const folder = mkdtempSync(join(tmpdir(), 'strategy-testing-'));
let files = 0;

/** A strategy file of these handlers, with a counter `n` and a parameter of warm-up bars. */
function strategy(handlers: string): string {
  const path = join(folder, `strategy-${++files}.ts`);
  writeFileSync(
    path,
    `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({ version: 1, params: class { warmup = 0; volume = 0.1; }, warmupBars: ({ warmup }) => warmup,
create: ({ params }) => { let n = 0; return { ${handlers} }; } });`,
  );
  return path;
}

const logsBars = strategy(`onBar(bar, trade) {
  const { stream, timeMs, open, high, low, close } = bar;
  trade.log(stream, { warmingUp: trade.warmingUp, time: new Date(timeMs).toISOString().slice(0, 16), prices: [open, high, low, close] });
}`);
const threeBars: readonly TestBar[] = [
  [1.1, 1.102, 1.099, 1.101],
  [1.101, 1.103, 1.1, 1.102],
  [1.102, 1.104, 1.101, 1.103],
];

describe('a backtest of written bars', () => {
  it('delivers each bar as it is written, the first and the last too', async () => {
    const { logs, bars } = await backtest(logsBars, { bars: threeBars });
    expect(bars).toBe(3);
    expect(logs.map(({ details }) => details)).toEqual([
      { warmingUp: false, time: '2024-01-08T00:00', prices: threeBars[0] },
      { warmingUp: false, time: '2024-01-08T00:01', prices: threeBars[1] },
      { warmingUp: false, time: '2024-01-08T00:02', prices: threeBars[2] },
    ]);
  });

  it('warms up with the first of them', async () => {
    const { logs } = await backtest(logsBars, { bars: threeBars, params: { warmup: 2 } });
    expect(logs.map(({ details }) => details?.warmingUp)).toEqual([true, true, false]);
  });

  it('has fills, trades, open positions, pending orders, rejects and the equity', async () => {
    const file = strategy(`onBar(bar, trade) {
      n++;
      if (n === 1) trade.buy('main', { volume: params.volume });
      if (n === 2) { trade.close(trade.position('main')); trade.sell('main', { volume: 0.2 }); trade.sell('main', { volume: 0.001 }); }
      if (n === 3) trade.buy('main', { volume: 0.3, kind: 'limit', price: 1.05 });
    }`);
    const run = await backtest(file, { bars: threeBars, params: { volume: 0.5 }, capital: 1_000 });
    expect(run.fills.map(({ side, entry, volume, price }) => [side, entry, volume, price])).toEqual([
      ['buy', 'in', 0.5, 1.101],
      ['sell', 'out', 0.5, 1.102],
      ['sell', 'in', 0.2, 1.102],
    ]);
    expect(run.trades).toMatchObject([{ side: 'buy', entryPrice: 1.101, exitPrice: 1.102, realized: 50 }]);
    expect(run.positions).toMatchObject([{ side: 'sell', volume: 0.2, unrealized: -20 }]);
    expect(run.orders).toMatchObject([{ kind: 'limit', volume: 0.3, price: 1.05 }]);
    expect(run.rejects).toMatchObject([
      { kind: 'rejected', reason: expect.stringContaining('volume: must be 0.01 to 500') },
    ]);
    expect([run.netProfit, run.equity]).toEqual([50, 1_030]);
  });

  it('applies spread, commission, slippage and latency', async () => {
    const file = strategy(`onBar(bar, trade) { if (++n === 1) trade.buy('main', { volume: 1 }); }`);
    const fill = async (options: TestOptions) => (await backtest(file, { bars: threeBars, ...options })).fills[0];
    expect(await fill({ spread: 20, slippage: 3 })).toMatchObject({ price: 1.10123, realized: 0 });
    expect(await fill({ commission: 3.5 })).toMatchObject({ price: 1.101, realized: -3.5 });
    // The market is at the low of the second bar by then.
    expect(await fill({ latencyMs: 20_000 })).toMatchObject({ price: 1.1 });
  });

  it('takes times of bars, and streams of several symbols and timeframes', async () => {
    const hours = Array.from({ length: 120 }, (): TestBar => [1.1, 1.2, 1, 1.1]);
    const yen: readonly TestBar[] = [
      { time: '2024-03-04T10:30', open: 150.1, high: 150.3, low: 150, close: 150.2 },
      { time: '2024-03-04T11:59', open: 150.2, high: 150.2, low: 150.2, close: 150.2 },
    ];
    const { logs } = await backtest(logsBars, {
      bars: { EURUSD: hours, USDJPY: yen },
      streams: { slow: 'EURUSD@h1', yen: 'USDJPY@M1' },
      start: '2024-03-04T10:00',
    });
    expect(logs.map(({ message, details }) => [message, details?.time])).toEqual([
      ['slow', '2024-03-04T10:00'],
      // A bar closes with the next price of its symbol.
      ['yen', '2024-03-04T10:30'],
      ['slow', '2024-03-04T11:00'],
      ['yen', '2024-03-04T11:59'],
    ]);
  });

  it('takes price files by path or URL, and the strategy by URL', async () => {
    const startMs = Date.UTC(2024, 0, 8);
    const ticks = Array.from({ length: 6 }, (_, minute) => [startMs + minute * 60_000, 1.1, 1.1002] as const);
    const path = writeTicks(join(folder, 'gbpusd.csv'), ticks);
    const options = { symbol: 'GBPUSD', files: [pathToFileURL(path)] };
    const run = await backtest(pathToFileURL(logsBars), options);
    expect(run.bars).toBe(5);
    const named = { symbol: 'EURUSD', files: [`EURUSD=${path}`] };
    expect((await backtest(logsBars, named)).bars).toBe(5);
  });

  it('ends with the error of the strategy, and its line', async () => {
    const file = strategy(`\nonBar() {\n  throw new Error('no such level');\n}`);
    await expect(backtest(file, { bars: threeBars })).rejects.toThrow(/no such level[^]*strategy-\d+\.ts:5/);
  });

  const bar = { open: 1.1, high: 1.2, low: 1, close: 1.1 };
  it.each<[string, TestOptions]>([
    ['a test needs either bars or files', {}],
    ['a test needs either bars or files', { bars: threeBars, files: ['x.csv'] }],
    ['bars must have at least one bar', { bars: [] }],
    ['bars[1].close must be a number above 0, not NaN', { bars: [bar, { ...bar, close: Number.NaN }] }],
    ['bars.EURUSD[0].high 1.2 is below open 1.3', { bars: { EURUSD: [{ ...bar, open: 1.3 }] } }],
    ['bars[0].low 1 is above close 0.9', { bars: [{ ...bar, close: 0.9 }] }],
    [
      'bars[1].time 2024-01-08T00:00:00.000Z is not after the bar before it',
      { bars: [bar, { ...bar, time: '2024-01-08' }] },
    ],
    ['bars[0].time must be a whole minute such as 2024-01-08T10:00, not noon', { bars: [{ ...bar, time: 'noon' }] }],
    ['start must be a whole minute', { bars: [bar], start: '2024-01-08T10:00:01' }],
    ['capital must be a number above 0, not 0', { bars: [bar], capital: 0 }],
    [
      'streams.a must have the form EURUSD@M1, with a timeframe from M1 to W1, not EURUSD',
      { bars: [bar], streams: { a: 'EURUSD' } },
    ],
    [
      'bars must be given by symbol: the streams are of EURUSD and GBPUSD',
      { bars: [bar], streams: { a: 'EURUSD@M1', b: 'GBPUSD@M1' } },
    ],
    ['the price files contain EURUSD, not GBPUSD', { bars: { EURUSD: [bar] }, streams: { main: 'GBPUSD@M1' } }],
    ['no specification of ABCXYZ', { bars: [bar], symbol: 'ABCXYZ' }],
    ['params: volumes is not a parameter of this strategy', { bars: [bar], params: { volumes: 1 } }],
  ])('is refused: %s', async (problem, options) => {
    await expect(backtest(logsBars, options)).rejects.toThrow(problem);
  });
});
