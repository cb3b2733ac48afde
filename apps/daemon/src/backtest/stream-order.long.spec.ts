import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTicks } from './testing/written-prices';
import { runHandlers, said, streamsOf } from './testing/written-strategy';

const folder = mkdtempSync(join(tmpdir(), 'stream-order-'));
const minuteMs = 60_000;
const startMs = Date.UTC(2024, 0, 8);

/** Ticks of 190 minutes: a symbol is quoted at these instants of each minute, and not at all in some minutes. */
const ticksOf = (symbol: string, price: number, at: readonly number[], isQuiet = (_minute: number) => false): string =>
  writeTicks(
    join(folder, `${symbol}.csv`),
    Array.from({ length: 190 }, (_, minute) => minute)
      .filter((minute) => !isQuiet(minute))
      .flatMap((minute) =>
        at.map((ms, index) => {
          const bid = price + Math.sin(minute / 7) / 100 + index / 10_000;
          return [startMs + minute * minuteMs + ms, bid, bid + 0.0001] as const;
        }),
      ),
  );

const lastQuietMinute = 115;
const files = [
  ticksOf('eurusd', 1.1, [1_000, 30_000]),
  ticksOf('gbpusd', 1.3, [1_500, 40_000], (minute) => minute === lastQuietMinute),
];

/** Says every bar with the market's time, and trades on some. */
const handlers = `onBar(bar, trade) {
  trade.log(bar.stream + ' ' + (bar.timeMs - ${startMs}) / ${minuteMs} + ' at ' + (trade.quote(bar.stream).timeMs - ${startMs}));
  if (trade.warmingUp || ++n % 4 !== 0) return;
  const open = trade.position(bar.stream);
  if (open) trade.close(open);
  else trade.buy(bar.stream, { volume: 0.1 });
}`;
const pairs = {
  fast: 'EURUSD@M5',
  euro: 'EURUSD@M1',
  slow: 'EURUSD@H1',
  pound: 'GBPUSD@M1',
};
const run = (aliases: readonly (keyof typeof pairs)[]) =>
  runHandlers(
    handlers,
    { files },
    { streams: streamsOf(Object.fromEntries(aliases.map((alias) => [alias, pairs[alias]]))), params: { bars: 0 } },
  );

describe('the bars of several streams that close at one instant', () => {
  it('come by the longer timeframe, then by symbol, however the streams are listed', async () => {
    const result = await run(['pound', 'euro', 'fast', 'slow']);
    const ofElapsedHour = said(result)
      .map((line) => line.split(' '))
      .filter(([alias = '', open]) => Number(open) === { slow: 120, fast: 175, euro: 179, pound: 179 }[alias])
      .map(([alias]) => alias);
    expect(ofElapsedHour).toEqual(['slow', 'fast', 'euro', 'pound']);
    const other = await run(['slow', 'fast', 'euro', 'pound']);
    expect(JSON.stringify(other)).toBe(JSON.stringify(result));
    expect(result.fills.length).toBeGreaterThan(10);
  });

  it.each([
    ['two seconds', {}, 3_000],
    ['the time that is set', { barWaitMs: 7_000 }, 8_000],
  ])('wait for a symbol that is quoted a little later, and for one that is silent %s', async (_, options, openedMs) => {
    const result = await runHandlers(
      `onBar(bar, trade) { if (bar.stream === 'euro') trade.buy('euro', { volume: 0.01 }); }`,
      { files, ...options },
      { streams: streamsOf({ euro: pairs.euro, pound: pairs.pound }) },
    );
    const openedAt = result.fills.map(({ timeMs }) => Number(timeMs) - startMs);
    // The minute's first quote of GBPUSD comes 1.5 s into it; where it has none, EURUSD is given up for.
    const late = openedAt
      .filter((ms) => ms % minuteMs !== 1_500)
      .map((ms) => [Math.floor(ms / minuteMs), ms % minuteMs]);
    expect(late).toEqual([[lastQuietMinute, openedMs]]);
  });
});
