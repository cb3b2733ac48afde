import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StrategySpec } from '../core/strategy-spec';
import { reportOf } from './report';
import type { BacktestOptions } from './run-backtest';
import { writeTicks } from './testing/written-prices';
import { runHandlers, said, streamsOf } from './testing/written-strategy';

const folder = mkdtempSync(join(tmpdir(), 'run-backtest-'));
const startMs = Date.UTC(2024, 0, 3);
const minuteMs = 60_000;

/** Ticks at odd times: 200 minutes of them, up a point each, with minutes 50 to 59 left out. */
const ticks = Array.from({ length: 400 }, (_, index) => ({
  timeMs: startMs + Math.floor(index / 2) * minuteMs + (index % 2 === 0 ? 1_234 : 47_891),
  bid: 1.1 + index / 100_000,
})).filter(({ timeMs }) => timeMs < startMs + 50 * minuteMs || timeMs >= startMs + 60 * minuteMs);
const file = writeTicks(
  join(folder, 'eurusd-ticks.csv'),
  ticks.map(({ timeMs, bid }) => [timeMs, bid, bid + 0.0001]),
);

const stream = (symbol: string, timeframe: string) => ({ streams: streamsOf({ main: `${symbol}@${timeframe}` }) });
const run = (handlers: string, changes: Partial<BacktestOptions> = {}, spec: Partial<StrategySpec> = {}) =>
  runHandlers(handlers, { files: [file], ...changes }, { ...stream('EURUSD', 'M1'), ...spec });

describe('a backtest', () => {
  it('delivers every tick once and in order, at its own time', async () => {
    const seen = said(await run('onTick(tick, trade) { trade.log(`${tick.timeMs} ${trade.timeMs} ${tick.bid}`); }'));
    // The first one is the price at the start.
    const due = ticks.slice(1);
    expect(seen).toEqual(due.map(({ timeMs, bid }) => `${timeMs} ${timeMs} ${bid.toFixed(5).replace(/0+$/, '')}`));
  });

  it('delivers every bar once, after the warm-up bars, and counts missing ones', async () => {
    const result = await run(
      'onBar(bar, trade) { trade.log(`${bar.timeMs} ${trade.warmingUp}`); }',
      {},
      { params: { bars: 5 } },
    );
    const times = said(result).map((line) => line.split(' '));
    expect(times.map(([, warmingUp]) => warmingUp).lastIndexOf('true')).toBe(4);
    expect(times.map(([time]) => Number(time))).toEqual([...new Set(times.map(([time]) => Number(time)))].sort());
    expect(result).toMatchObject({ warmupBars: { main: 5 }, bars: times.length - 5 });
    const minutes = ticks.filter((_, index) => index % 2 === 0).length;
    // The last minute never closes.
    expect(times.length).toBeLessThan(minutes);
    expect(times.at(-1)?.[0]).toBe(String(startMs + 198 * minuteMs));
  });

  it('begins and ends at the given times, and reports missing bars in between', async () => {
    const fromMs = startMs + 30 * minuteMs;
    const toMs = startMs + 90 * minuteMs;
    const onBar = 'onBar(bar, trade) { trade.log(String(bar.timeMs)); }';
    const result = await run(onBar, { fromMs, toMs });
    expect(result.startMs).toBe(fromMs);
    expect(result.endMs).toBeLessThan(toMs);
    expect(Number(said(result).at(-1))).toBe(startMs + 88 * minuteMs);
  });

  it('charges half of the spread at each fill', async () => {
    const result = await run(
      `onBar(bar, trade) { n++; if (n === 5) trade.buy('main', { volume: 1 }); if (n === 9) trade.close(trade.position('main')); }`,
    );
    expect(result.fills.map(({ entry }) => entry)).toEqual(['in', 'out']);
    expect([...result.spreads.values()].reduce((sum, half) => sum + half, 0)).toBeCloseTo(10, 6);
    expect(result.realized).toBeCloseTo(result.balance - 10_000, 6);
  });

  it('halts as the daemon does: pending orders are cancelled, and entries are denied', async () => {
    const result = await run(
      `onBar(bar, trade) {
         n++;
         if (n === 1) trade.buy('main', { volume: 1, kind: 'limit', price: 1 });
         if (n === 5) trade.sell('main', { volume: 1 });
         if (n > 60 && n < 63) trade.sell('main', { volume: 1 });
       },
       onOrderGone(gone, trade) { trade.log(gone.kind); },`,
      {},
      { risk: { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: 0.2 } },
    );
    expect(result.haltReason).toContain('maxDrawdownPct 0.2');
    expect(said(result)).toEqual(['cancelled']);
    expect(result.rejects.map(({ kind }) => kind)).toEqual(['denied', 'denied']);
    expect(result.fills).toHaveLength(1);
    expect(result.unrealized).toBeLessThan(-20);
  });

  it('counts rejects by reason, with the range of the numbers in it', async () => {
    const result = await run(
      `onBar(bar, trade) { n++; if (n < 4) trade.buy('main', { volume: n + 1 }); }`,
      {},
      {
        risk: { maxVolume: 1, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: null },
      },
    );
    const spec = { module: 'mine.ts', capital: 10_000, ...stream('EURUSD', 'M1') };
    const { rejects, range, strategy } = reportOf(result, spec, [file]);
    expect(rejects).toEqual([{ kind: 'denied', reason: 'volume 2 to 4 is above maxVolume 1', count: 3 }]);
    expect(range.gaps).toEqual({
      EURUSD: { missingBars: 10, longestGapMinutes: 10, longestGapAfterMs: startMs + 49 * minuteMs },
    });
    expect(strategy).toMatchObject({ file: 'mine.ts', params: { bars: 0 }, streams: { main: 'EURUSD@M1' } });
  });

  it('ends with the line that threw', async () => {
    await expect(run(`onBar() { if (++n === 3) throw new Error('no more'); }`)).rejects.toThrow(
      /^no more\n\s+at .*strategy\.ts:4:/,
    );
  });

  const hour = 3_600_000;
  it.each([
    [
      'prices that end before',
      { fromMs: startMs + 9 * hour },
      {},
      'the prices go from 2024-01-03 00:00 to 2024-01-03 03:19 UTC: none after --from',
    ],
    ['prices that begin later', { toMs: startMs - hour }, {}, 'none before --to 2024-01-02 23:00'],
    ['a beginning after its end', { fromMs: startMs + hour, toMs: startMs + hour }, {}, 'is not before --to'],
    [
      'a warm-up longer than the prices',
      {},
      { params: { bars: 300 } },
      '300 bars of M1 to warm up are more than the files contain: 190 minutes of prices',
    ],
    [
      'too few prices before its beginning',
      { fromMs: startMs + hour },
      { params: { bars: 100 } },
      'needs 100 past bars',
    ],
    ['another symbol', {}, stream('GBPUSD', 'M1'), 'the price files contain EURUSD, not GBPUSD'],
    ['an unknown timeframe', {}, stream('EURUSD', 'M7'), 'there are no bars of EURUSD@M7'],
    ['a netting account', { broker: { SIM_MARGIN_MODE: 'netting' } }, {}, 'a backtest supports only hedging accounts'],
    [
      'an end inside the warm-up',
      { toMs: startMs + 20 * minuteMs },
      { params: { bars: 30 } },
      'no prices to trade at after 2024-01-03 00:30 and before --to 2024-01-03 00:20 UTC: earlier prices are the past bars that the strategies need',
    ],
    [
      'a part without prices',
      { fromMs: startMs + 51 * minuteMs, toMs: startMs + 59 * minuteMs },
      {},
      'there are no prices to trade at after 2024-01-03 00:51 and before --to 2024-01-03 00:59 UTC',
    ],
    ['a file that is not there', { files: [join(folder, 'eurusd-gone.csv')] }, {}, 'eurusd-gone.csv: cannot be read'],
  ])('is refused for %s', async (_what, options, spec, problem) => {
    await expect(run('', options, spec)).rejects.toThrow(problem);
  });
});
