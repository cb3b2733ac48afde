import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportOf } from './report';
import { reportTable } from './report-table';
import { writeBars, writeTicks, type WrittenBar } from './testing/written-prices';
import { runHandlers, streamsOf } from './testing/written-strategy';

const minuteMs = 60_000;
const startMs = Date.UTC(2024, 0, 8);
const folder = mkdtempSync(join(tmpdir(), 'bar-fills-'));

/** Four still minutes, a bar that goes down, far up and back, and one more that closes it. */
const prices: readonly (readonly [number, number, number, number])[] = [
  ...Array.from({ length: 4 }, () => [1.499, 1.499, 1.499, 1.499] as const),
  [1.499, 1.506, 1.4985, 1.505],
  [1.505, 1.505, 1.505, 1.505],
];
const bars = prices.map((bar, minute): WrittenBar => [startMs + minute * minuteMs, ...bar]);
const files = writeBars(folder, 'GBPUSD', bars, 0.0002);
const enteredMs = startMs + 4 * minuteMs;

const streams = streamsOf({ main: 'GBPUSD@M1' });
const run = (levels: string, broker: Record<string, string> = {}) =>
  runHandlers(
    `onBar(bar, trade) { if (bar.timeMs === ${enteredMs - minuteMs}) trade.buy('main', { volume: 1, ${levels} }); }`,
    { files, broker },
    { streams },
  );

describe('a backtest on bars', () => {
  // Long from the ask of the open; a pip of a lot is 10 dollars.
  it.each([
    ['a target', 'tp: 1.502', 40, 1.502, 280],
    ['a stop loss', 'sl: 1.4987', 20, 1.4987, -50],
  ])('closes at the price of %s, not at the extreme of the bar', async (_, levels, second, price, realized) => {
    const { fills, balance } = await run(levels);
    expect(fills.map((fill) => [fill.timeMs, fill.price, fill.realized])).toEqual([
      [enteredMs, 1.4992, 0],
      [enteredMs + second * 1_000, price, realized],
    ]);
    expect(balance).toBe(10_000 + realized);
  });

  it('fills a limit at a price that the bar only touched, with --limit-fill touch', async () => {
    const limit = `kind: 'limit', price: 1.4987`;
    expect((await run(limit)).fills).toEqual([]);
    const { fills } = await run(limit, { SIM_LIMIT_FILL: 'touch' });
    expect(fills.map(({ price }) => price)).toEqual([1.4987]);
  });

  it('states the rule of its fills in the report, and none on ticks', async () => {
    const spec = { module: 'mine.ts', capital: 10_000, streams };
    const report = reportOf(await run('tp: 1.502'), spec, files);
    expect(report.fillRule).toEqual({
      insideBars: "at the order's price",
      betweenBars: 'at the first quote',
      limits: 'through',
    });
    expect(reportTable(report)).toContain("fills     inside bars: at the order's price");
    const ticks = bars.map(([timeMs, bid]) => [timeMs, bid, bid + 0.0002] as const);
    const file = writeTicks(join(folder, 'gbpusd-ticks.csv'), ticks);
    const onTicks = reportOf(await runHandlers('', { files: [file] }, { streams }), spec, [file]);
    expect(onTicks.fillRule).toBeNull();
    expect(reportTable(onTicks)).not.toContain('fills     ');
  });
});
