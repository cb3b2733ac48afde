import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportOf } from './report';
import { writeTicks } from './testing/written-prices';
import { runHandlers, said, streamsOf } from './testing/written-strategy';

const folder = mkdtempSync(join(tmpdir(), 'two-symbols-'));
const minuteMs = 60_000;
const startMs = Date.UTC(2024, 0, 8);
const minutes = Array.from({ length: 20 }, (_, minute) => startMs + minute * minuteMs);

/** One symbol is quoted early and often in each minute, the other late and twice, and not at all in every fifth. */
const often = [1_000, 20_000, 40_000, 50_000];
const late = [30_250, 55_000];
const quietMinute = (timeMs: number): boolean => ((timeMs - startMs) / minuteMs) % 5 === 4;
const files = [
  writeTicks(
    join(folder, 'eurusd.csv'),
    minutes.flatMap((timeMs) => often.map((at) => [timeMs + at, 1.1, 1.1001] as const)),
  ),
  writeTicks(
    join(folder, 'gbpusd.csv'),
    minutes
      .filter((timeMs) => !quietMinute(timeMs))
      .flatMap((timeMs) => late.map((at, index) => [timeMs + at, 1.3 + index / 100, 1.3001 + index / 100] as const)),
  ),
];
const streams = streamsOf({ main: 'EURUSD@M1', other: 'GBPUSD@M1' });

describe('a backtest of two symbols that are quoted at different instants', () => {
  it('has the bars of each close with its own first price of the next minute', async () => {
    const onBar = 'onBar(bar, trade) { trade.log(`${bar.stream} ${bar.timeMs} ${trade.quote(bar.stream).timeMs}`); }';
    const lines = said(await runHandlers(onBar, { files }, { streams })).map((line) => line.split(' '));
    const closed = (alias: string) =>
      lines.filter(([stream]) => stream === alias).map(([, ...times]) => times.map(Number));
    const traded = minutes.slice(2);
    expect(closed('main').slice(-10)).toEqual(
      traded.slice(-11, -1).map((timeMs) => [timeMs, timeMs + minuteMs + (often[0] ?? 0)]),
    );
    const others = traded.filter((timeMs) => !quietMinute(timeMs));
    const closes = others.slice(0, -1).map((timeMs, index) => [timeMs, (others[index + 1] ?? 0) + (late[0] ?? 0)]);
    expect(closed('other').slice(-10)).toEqual(closes.slice(-10));
  });

  it('trades on such a bar at that price, and goes on from there price by price', async () => {
    const result = await runHandlers(
      `onBar(bar, trade) {
         if (bar.stream === 'other' && bar.timeMs === ${startMs + 10 * minuteMs}) trade.buy('other', { volume: 0.1, tp: 1.305 });
       }`,
      { files },
      { streams },
    );
    // The bars of the other symbol are not charted, but known.
    const [closed] = reportOf(result, { module: 'two.ts', capital: 10_000, streams }, files).trades;
    expect(closed).toMatchObject({ symbol: 'GBPUSD', excursion: { mae: 0, mfe: 0.0099 } });
    const [late0 = 0, late1 = 0] = late;
    expect(result.fills.map(({ timeMs, price }) => [timeMs, price])).toEqual([
      [startMs + 11 * minuteMs + late0, 1.3001],
      [startMs + 11 * minuteMs + late1, 1.31],
    ]);
  });
});
