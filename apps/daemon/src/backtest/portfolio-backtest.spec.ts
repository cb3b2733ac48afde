import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StrategySpec } from '../core/strategy-spec';
import { backtestLimits } from './backtest.config';
import { roundTrips } from './round-trips';
import { runBacktest, type BacktestResult } from './run-backtest';
import { writeTicks, type WrittenQuote } from './testing/written-prices';
import { runOf, runWritten, writtenStrategies, type WrittenStrategy } from './testing/written-portfolio';

const folder = mkdtempSync(join(tmpdir(), 'portfolio-backtest-'));
const minuteMs = 60_000;
const startMs = Date.UTC(2024, 0, 8, 22);
const minutes = 240;
/** From then on there are bars enough for every strategy. */
const fromMs = startMs + 20 * minuteMs;

function ticksOf(symbol: string, bidAt: (minute: number, part: number) => number): string {
  const quotes = Array.from({ length: minutes }, (_, minute) => minute).flatMap((minute) =>
    [1_000, 21_000, 41_000].map((ms, part): WrittenQuote => {
      const bid = bidAt(minute, part);
      return [startMs + minute * minuteMs + ms, bid, bid + 0.0001];
    }),
  );
  return writeTicks(join(folder, `${symbol.toLowerCase()}.csv`), quotes);
}
const files = [
  ticksOf('EURUSD', (minute, part) => 1.1 + Math.sin(minute / 5 + part / 9) / 200),
  ticksOf('GBPUSD', (minute, part) => 1.3 + Math.cos(minute / 7 + part / 5) / 150),
];

/** Is in and out of the market by turns, with a stop, and takes what comes. */
const turns = (stream: string, every: number): string => `
  onBar(bar, trade) {
    if (trade.warmingUp || bar.stream !== '${stream}' || ++n % ${every} !== 0) return;
    const open = trade.position('${stream}');
    if (open) trade.close(open);
    else trade.buy('${stream}', { volume: 0.1, sl: bar.close - 0.003, tp: bar.close + 0.004 });
  },
  onFill(fill, trade) { trade.log(fill.entry + ' ' + trade.equity.toFixed(2)); }`;
const waits = `
  onBar(bar, trade) {
    if (trade.warmingUp || ++n % 3 !== 0) return;
    trade.sell('main', { kind: 'limit', price: bar.close + 0.0008, volume: 0.2, tp: bar.close - 0.001, expirationMs: trade.timeMs + 600000 });
  },
  onTick(tick, trade) { if (trade.positions().length > 2) trade.close(trade.positions()[0]); }`;
const stacks = `
  onBar(bar, trade) {
    if (trade.warmingUp || bar.stream !== 'fast' || trade.positions().length > 0 || ++n % 5 !== 0) return;
    trade.stack({ stream: 'fast', direction: 'buy', layers: 3, spacing: 0.0005, volume: 0.1, slDistance: 0.002, tpDistance: 0.002, within: 1800000 });
  }`;

const written: Readonly<Record<string, WrittenStrategy>> = {
  euro: { handlers: turns('main', 3), streams: { main: 'EURUSD@M1' }, warmupBars: 5 },
  pound: { handlers: waits, streams: { main: 'GBPUSD@M5' } },
  both: { handlers: stacks, streams: { slow: 'GBPUSD@M5', fast: 'EURUSD@M1' }, warmupBars: 2 },
};
const strategies = writtenStrategies(300_000, written);

const alone = (spec: StrategySpec, latencyMs = 0): Promise<BacktestResult> =>
  runBacktest({ spec, files, fromMs, toMs: null, latencyMs });
const tradesOf = ({ fills, costs }: BacktestResult) => roundTrips(fills, costs);
/** A trade without the number that the account gave it. */
const anonymous = (result: BacktestResult) => tradesOf(result).map(({ position: _, ...trade }) => trade);

describe('a portfolio in a backtest', () => {
  it.each([0, 30_000])(
    'with one strategy makes the very trades of the strategy alone, at a latency of %i ms',
    async (latencyMs) => {
      for (const spec of strategies) {
        const own = await alone(spec, latencyMs);
        const [only] = (await runWritten([spec], { files, fromMs, latencyMs })).strategies;
        expect(tradesOf(own).length).toBeGreaterThan(2);
        expect(JSON.stringify(only && tradesOf(only.result))).toBe(JSON.stringify(tradesOf(own)));
        expect(only?.result).toMatchObject({
          realized: own.realized,
          unrealized: own.unrealized,
          balance: own.balance,
        });
        expect([only?.result.equity, only?.result.logs]).toEqual([own.equity, own.logs]);
      }
    },
  );

  it('does not change the trades of a strategy by another one, as long as the account has margin', async () => {
    const result = await runWritten(strategies, { files, fromMs });
    for (const spec of strategies) {
      const own = await alone(spec);
      const found = result.strategies.find(({ name }) => name === spec.name);
      expect([spec.name, found && anonymous(found.result)]).toEqual([spec.name, anonymous(own)]);
      expect(found?.result.logs).toEqual(own.logs);
    }
  });

  it('gives the same result in whichever order its strategies are listed', async () => {
    const risk = { maxDrawdownPct: 1 };
    const result = JSON.stringify(await runWritten(strategies, { files, fromMs }, risk));
    for (const order of [
      [2, 0, 1],
      [1, 2, 0],
      [2, 1, 0],
    ]) {
      const shuffled = order.flatMap((index) => strategies[index] ?? []);
      expect(JSON.stringify(await runWritten(shuffled, { files, fromMs }, risk))).toBe(result);
    }
  });

  it('has one account, which is what all strategies together have earned', async () => {
    const { strategies: runs, balance, equity } = await runWritten(strategies, { files, fromMs });
    const sum = (of: (result: BacktestResult) => number) => runs.reduce((total, { result }) => total + of(result), 0);
    expect(balance).toBeCloseTo(300_000 + sum(({ realized }) => realized), 6);
    expect(equity.at(-1)?.[1]).toBeCloseTo(300_000 + sum(({ realized, unrealized }) => realized + unrealized), 6);
    const deals = runs.flatMap(({ result }) => result.fills.map(({ deal }) => deal));
    expect(new Set(deals).size).toBe(deals.length);
    for (const { result } of runs) {
      expect(result.balance).toBeCloseTo(100_000 + result.realized, 6);
      expect(new Set(result.costs.keys())).toEqual(new Set(result.fills.map(({ position }) => position)));
    }
  });

  it('shares the margin of the account', async () => {
    const greedy = {
      handlers: `onBar(bar, trade) { if (++n === 1) trade.buy('main', { volume: 3 }); }`,
      streams: { main: 'EURUSD@M1' },
    };
    const two = writtenStrategies(6_000, { a: greedy, b: greedy });
    const result = await runWritten(two, { files, fromMs, broker: { SIM_LEVERAGE: '100' } });
    expect(runOf(result, 'a').result.fills).toHaveLength(1);
    expect(runOf(result, 'b').result.rejects.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(
        /^broker_rejected: the broker rejected the request: NO_MONEY: with it the margin would be /,
      ),
    ]);
  });

  it('shares the limits of the operator', async () => {
    const enters = {
      handlers: `onBar(bar, trade) { if (++n === 1) trade.buy('main', { volume: 0.1 }); }`,
      streams: { main: 'EURUSD@M1' },
    };
    const two = writtenStrategies(10_000, { a: enters, b: enters });
    const limits = backtestLimits({ MAX_ORDERS_PER_MINUTE: '1' });
    const result = await runWritten(two, { files, fromMs, limits });
    expect(runOf(result, 'a').result.rejects).toEqual([]);
    expect(runOf(result, 'b').result.rejects).toMatchObject([
      { intentId: 'b-1', reason: expect.stringMatching(/^order_rate_exceeded: 1 entry was sent/) as string },
    ]);
  });

  it('delivers the bars of one instant by timeframe and symbol, then by the name of the strategy', async () => {
    const buys = `onBar(bar, trade) { if (!trade.warmingUp && trade.timeMs % 300000 === 0) trade.buy('main', { volume: 0.01 }); }`;
    const result = await runWritten(
      writtenStrategies(10_000, {
        d: { handlers: buys, streams: { main: 'EURUSD@M1' } },
        c: { handlers: buys, streams: { main: 'EURUSD@M1' } },
        b: { handlers: buys, streams: { main: 'GBPUSD@M5' } },
        a: { handlers: buys, streams: { main: 'GBPUSD@M1' } },
      }),
      { files, fromMs, toMs: fromMs + 11 * minuteMs },
    );
    const entries = result.strategies
      .flatMap(({ name, result: { fills } }) => fills.map(({ deal }) => ({ name, deal })))
      .sort((first, second) => first.deal - second.deal)
      .map(({ name }) => name.at(-1));
    expect(entries.join('')).toMatch(/^(bcda)+$/);
  });
});
