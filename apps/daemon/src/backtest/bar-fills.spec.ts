import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportOf } from './report';
import { reportTable } from './report-table';
import { seeded } from './seeded';
import { writeBars, writeTicks, type WrittenBar } from './testing/written-prices';
import { runHandlers, said, streamsOf } from './testing/written-strategy';

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

const [hourMs, dayMs] = [3_600_000, 86_400_000];
/** The quotes of a week are in its first five days. */
const lengths = { M5: 5 * minuteMs, H1: hourMs, H4: 4 * hourMs, D1: dayMs, W1: 5 * dayMs } as const;
const utc = { SIM_SERVER_TIME_ZONE: 'UTC', SIM_SWAP: '0' };
/** The same bars as above, each as long as the distance to the next one. */
const longBars = (distanceMs: number, firstMs = startMs) =>
  writeBars(
    mkdtempSync(join(tmpdir(), 'bar-fills-')),
    'GBPUSD',
    prices.map((bar, at): WrittenBar => [firstMs + at * distanceMs, ...bar]),
    0.0002,
  );
const logged = `onBar(bar, trade) { trade.log([bar.timeMs, bar.open, bar.high, bar.low, bar.close].join()); }`;

describe('a backtest on bars that are longer than a minute', () => {
  it.each([
    ['M5', 5 * minuteMs],
    ['H1', hourMs],
    ['H4', 4 * hourMs],
    ['D1', dayMs],
    ['W1', 7 * dayMs],
  ] as const)(
    'fills on the path of a bar of %s as on that of a minute, later in proportion',
    async (name, distanceMs) => {
      const long = longBars(distanceMs);
      const openMs = startMs + 4 * distanceMs;
      const traded = (levels: string) =>
        runHandlers(
          `onBar(bar, trade) { if (++n === 4) trade.buy('main', { volume: 1, ${levels} }); }`,
          { files: long, broker: utc },
          { streams: streamsOf({ main: `GBPUSD@${name}` }) },
        );
      for (const [levels, share, price, realized] of [
        ['tp: 1.502', 2 / 3, 1.502, 280],
        ['sl: 1.4987', 1 / 3, 1.4987, -50],
      ] as const) {
        const { fills, balance } = await traded(levels);
        expect(fills.map((fill) => [fill.timeMs, fill.price])).toEqual([
          [openMs, 1.4992],
          [openMs + lengths[name] * share, price],
        ]);
        expect(balance).toBe(10_000 + realized);
      }
    },
  );

  it('has the fills of the same bars in minutes, with market, pending and stop orders', async () => {
    const random = seeded(7);
    let last = 1.5;
    const walk = Array.from({ length: 400 }, () => {
      const path = [last, ...Array.from({ length: 5 }, () => (last += (random() - 0.5) * 0.002))];
      return [path[0] ?? 0, Math.max(...path), Math.min(...path), last] as const;
    });
    const fillsOf = async (name: string, distanceMs: number) => {
      const own = mkdtempSync(join(tmpdir(), 'bar-fills-'));
      const files = writeBars(
        own,
        'GBPUSD',
        walk.map((bar, at): WrittenBar => [startMs + at * distanceMs, ...bar]),
        0.0001,
      );
      const { fills } = await runHandlers(
        `onBar(bar, trade) {
          n++;
          const quote = trade.quote('main');
          if (trade.positions().length + trade.orders().length > 3 || !quote) return;
          const levels = { volume: 0.1, sl: quote.bid - 0.0021, tp: quote.bid + 0.0023 };
          if (n % 3 === 0) trade.buy('main', levels);
          if (n % 3 === 1) trade.buy('main', { ...levels, kind: 'limit', price: quote.bid - 0.0007 });
          if (n % 3 === 2) trade.sell('main', { volume: 0.1, kind: 'stop', price: quote.bid - 0.0006, sl: quote.bid + 0.001, tp: quote.bid - 0.003 });
        }`,
        { files, broker: utc },
        { streams: streamsOf({ main: `GBPUSD@${name}` }) },
      );
      return fills.map(({ price, side, volume, realized }) => [price, side, volume, realized]);
    };
    const minutes = await fillsOf('M1', minuteMs);
    expect(minutes.length).toBeGreaterThan(100);
    expect(await fillsOf('M15', 15 * minuteMs)).toEqual(minutes);
    expect(await fillsOf('D1', dayMs)).toEqual(minutes);
  });

  it('gives a strategy each bar of the file, also where it opens beside the grid of the clock', async () => {
    const half = longBars(hourMs, startMs + 30 * minuteMs);
    const streams = streamsOf({ main: 'GBPUSD@H1' });
    const run = await runHandlers(logged, { files: half, broker: utc }, { streams });
    expect(said(run)).toEqual(prices.slice(0, -1).map((bar, at) => [startMs + at * hourMs, ...bar].join()));
  });

  it('makes longer bars of them, as of minutes', async () => {
    const streams = streamsOf({ main: 'GBPUSD@H3' });
    const run = await runHandlers(logged, { files: longBars(hourMs), broker: utc }, { streams });
    expect(said(run)).toEqual([[startMs, 1.499, 1.499, 1.499, 1.499].join()]);
  });

  it('warms up with them, and says how many there are if they are too few', async () => {
    const call = (bars: number) =>
      runHandlers(
        logged,
        { files: longBars(hourMs), broker: utc },
        { streams: streamsOf({ main: 'GBPUSD@H1' }), params: { bars } },
      );
    expect((await call(2)).startMs).toBe(startMs + 2 * hourMs);
    await expect(call(9)).rejects.toThrow('9 bars of H1 to warm up are more than the files contain: 6 H1 bars');
  });

  it.each([
    ['M1', hourMs, 'H1'],
    ['H1', 4 * hourMs, 'H4'],
    ['H4', 3 * hourMs, 'H3'],
    ['MN1', 7 * dayMs, 'W1'],
  ])('is refused for %s on bars that do not make them', async (wanted, distanceMs, recorded) => {
    const streams = streamsOf({ main: `GBPUSD@${wanted}` });
    await expect(runHandlers(logged, { files: longBars(distanceMs), broker: utc }, { streams })).rejects.toThrow(
      `GBPUSD@${wanted} cannot be made of the bars of the price files, which are ${recorded}: use a timeframe of whole ${recorded} bars`,
    );
  });

  it('shows the prices of a long bar to a strategy of another symbol only when they are due', async () => {
    const minutes = Array.from({ length: 6 * 60 }, (_, at): WrittenBar => [
      startMs + at * minuteMs,
      1.1,
      1.1,
      1.1,
      1.1,
    ]);
    const other = writeBars(mkdtempSync(join(tmpdir(), 'bar-fills-')), 'EURUSD', minutes, 0.0002);
    const run = await runHandlers(
      `onBar(bar, trade) { if (bar.stream === 'main') trade.log(\`\${bar.timeMs} \${trade.quote('slow')?.bid}\`); }`,
      { files: [...longBars(hourMs), ...other], broker: utc },
      { streams: streamsOf({ main: 'EURUSD@M1', slow: 'GBPUSD@H1' }) },
    );
    const bids = new Map(
      said(run)
        .map((text) => text.split(' '))
        .map(([openMs, bid]) => [Number(openMs), Number(bid)]),
    );
    const seenAt = (minute: number) => bids.get(startMs + (4 * 60 + minute - 1) * minuteMs);
    // The low after 20 minutes of the fifth bar, the high after 40.
    expect([-1, 0, 19, 21, 39, 41, 59].map(seenAt)).toEqual([1.499, 1.499, 1.499, 1.4985, 1.4985, 1.506, 1.506]);
  });

  it('is refused for bars of two lengths', async () => {
    const [bid = ''] = longBars(hourMs);
    const [, ask = ''] = longBars(minuteMs);
    const streams = streamsOf({ main: 'GBPUSD@H1' });
    await expect(runHandlers(logged, { files: [bid, ask] }, { streams })).rejects.toThrow(
      'GBPUSD: bars of H1 and M1 cannot be replayed together: use files with bars of one length',
    );
  });
});
