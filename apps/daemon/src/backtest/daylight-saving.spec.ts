import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTicks } from './testing/written-prices';
import { runHandlers, said, streamsOf } from './testing/written-strategy';

const folder = mkdtempSync(join(tmpdir(), 'daylight-saving-'));
const minuteMs = 60_000;

/** The half hour before a weekend and the one after it; Athens, the broker's clock, changes in the night between. */
const changes = {
  spring: { friday: Date.UTC(2024, 2, 29, 20, 30), sunday: Date.UTC(2024, 2, 31, 21) },
  autumn: { friday: Date.UTC(2024, 9, 25, 20, 30), sunday: Date.UTC(2024, 9, 27, 22) },
} as const;
type Season = keyof typeof changes;

function minutesOf(season: Season): readonly number[] {
  const { friday, sunday } = changes[season];
  return [friday, sunday].flatMap((startMs) => Array.from({ length: 30 }, (_, at) => startMs + at * minuteMs));
}

function pricesOf(season: Season): string {
  const quotes = minutesOf(season).map((timeMs) => [timeMs, 1.1, 1.1001] as const);
  return writeTicks(join(folder, `eurusd-${season}.csv`), quotes);
}

describe.each(['spring', 'autumn'] as const)('a backtest over the change of the clocks in %s', (season) => {
  const { friday, sunday } = changes[season];
  const main = { streams: streamsOf({ main: 'EURUSD@M1' }) };
  const files = [pricesOf(season)];

  it('has every bar come once and at its own time', async () => {
    const result = await runHandlers('onBar(bar, trade) { trade.log(String(bar.timeMs)); }', { files }, main);
    // The last one never closes.
    expect(said(result).map(Number)).toEqual(minutesOf(season).slice(0, -1));
  });

  it('warms up with bars from before it at their own times', async () => {
    const handlers = 'onBar(bar, trade) { if (trade.warmingUp) trade.log(String(bar.timeMs)); }';
    const result = await runHandlers(handlers, { files, fromMs: sunday }, { ...main, params: { bars: 5 } });
    expect(said(result).map(Number)).toEqual(minutesOf(season).slice(25, 30));
  });

  it('has the opening time of an earlier position, and the expiration of an earlier order', async () => {
    const expirationMs = sunday + 10 * minuteMs;
    const result = await runHandlers(
      `onBar(bar, trade) {
         if (++n === 5) {
           trade.buy('main', { volume: 0.1 });
           trade.buy('main', { volume: 0.1, kind: 'limit', price: 1, expirationMs: ${expirationMs} });
         }
         if (bar.timeMs === ${sunday + 20 * minuteMs}) trade.log(String(trade.position('main').openedAtMs));
       },
       onOrderGone(gone, trade) { trade.log(gone.kind + ' ' + trade.orders().length); },
       onTick(tick, trade) { if (trade.orders().length > 0) trade.log('waits ' + tick.timeMs); }`,
      { files },
      main,
    );
    const waited = said(result).filter((line) => line.startsWith('waits'));
    expect(waited.at(-1)).toBe(`waits ${expirationMs - minuteMs}`);
    const openedMs = result.fills[0]?.timeMs;
    expect(openedMs).toBeLessThan(friday + 30 * minuteMs);
    expect(said(result).filter((line) => !line.startsWith('waits'))).toEqual(['expired 0', String(openedMs)]);
  });
});
