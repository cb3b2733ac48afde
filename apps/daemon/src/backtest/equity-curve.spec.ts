import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EquityCurve } from './equity-curve';
import { figuresOf } from './figures';
import { writeTicks } from './testing/written-prices';
import { runHandlers, streamsOf } from './testing/written-strategy';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const startMs = Date.UTC(2024, 0, 8);
const folder = mkdtempSync(join(tmpdir(), 'equity-'));

describe('an equity curve', () => {
  it('has a point for each minute with something open or changed, and one where a flat stretch ends', () => {
    const curve = new EquityCurve();
    const minutes: readonly (readonly [number, boolean])[] = [
      ...[[100, false] as const, [100, false] as const, [100, false] as const],
      // Opened, no change, closed in between, flat again.
      ...[[98, true] as const, [98, true] as const, [105, false] as const, [105, false] as const],
      [104, true],
    ];
    for (const [minute, [equity, isOpen]] of minutes.entries()) curve.note(minute * minuteMs, equity, isOpen);
    expect(curve.all.map(([timeMs, equity]) => [timeMs / minuteMs, equity])).toEqual([
      ...[
        [0, 100],
        [2, 100],
        [3, 98],
        [4, 98],
        [5, 105],
        [6, 105],
        [7, 104],
      ],
    ]);
  });

  it('has a close for each day with prices, also where nothing changed', () => {
    const curve = new EquityCurve();
    for (const day of [0, 1, 2]) for (const minute of [0, 1]) curve.note(day * dayMs + minute * minuteMs, 100, false);
    expect(curve.all.map(([timeMs]) => timeMs)).toEqual([0, minuteMs, dayMs + minuteMs, 2 * dayMs + minuteMs]);
  });
});

describe('the equity of a backtest', () => {
  /** Prices of six hours at 1.1, but for one minute at which they are 50 points below. */
  const dip = 330;
  const file = writeTicks(
    join(folder, 'eurusd-ticks.csv'),
    Array.from({ length: 360 }, (_, minute) => {
      const bid = minute === dip ? 1.0995 : 1.1;
      return [startMs + minute * minuteMs, bid, bid + 0.0001] as const;
    }),
  );
  const buyOnce = `onBar(bar, trade) { if (bar.stream === 'main' && n++ === 0) trade.buy('main', { volume: 1 }); }`;
  const run = (streams: Readonly<Record<string, string>>) =>
    runHandlers(buyOnce, { files: [file], fromMs: startMs + 240 * minuteMs }, { streams: streamsOf(streams) });

  it('is that of each minute, whatever the timeframe of the streams', async () => {
    const [hours, minutes] = [await run({ main: 'EURUSD@H1' }), await run({ main: 'EURUSD@M5' })];
    // Bought at five o'clock (H1) or at five past four (M5): 10 dollars of spread, and 50 more at the dip of half past five.
    const drawdown = (result: typeof hours) => figuresOf(result, 10_000).maxDrawdown;
    expect([drawdown(hours), drawdown(minutes)]).toEqual([60, 60]);
    expect(minutes.equity.filter(([, equity]) => equity === 9_940)).toEqual([[startMs + dip * minuteMs, 9_940]]);
    const both = await run({ main: 'EURUSD@M5', slow: 'EURUSD@H1' });
    expect(both.equity).toEqual(minutes.equity);
  });
});
