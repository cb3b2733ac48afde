import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StrategySpec } from '../core/strategy-spec';
import { writeTicks } from './testing/written-prices';
import { runHandlers, said, streamsOf } from './testing/written-strategy';

const folder = mkdtempSync(join(tmpdir(), 'limits-'));
const minuteMs = 60_000;
const dayMs = 86_400_000;
const startMs = Date.UTC(2024, 0, 8);
/** Minutes of the second day at which the price falls by 50 points, and is back. */
const [fallen, recovered] = [615, 618];

/** Three days of a price a minute, at 1.1 but for three minutes. */
const files = [
  writeTicks(
    join(folder, 'eurusd-ticks.csv'),
    Array.from({ length: 3 * 1_440 }, (_, minute) => {
      const bid = minute >= 1_440 + fallen && minute < 1_440 + recovered ? 1.095 : 1.1;
      return [startMs + minute * minuteMs, bid, bid + 0.0001] as const;
    }),
  ),
];
const dipMs = startMs + dayMs + fallen * minuteMs;

function run(handlers: string, timeframe: string, risk: Partial<StrategySpec['risk']>) {
  const limits = { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: null, ...risk };
  // On a clock of UTC the day of the bars is the day of the limits.
  const broker = { SIM_SERVER_TIME_ZONE: 'UTC' };
  return runHandlers(
    handlers,
    { files, broker, fromMs: startMs + dayMs - 60 * minuteMs },
    { streams: streamsOf({ main: `EURUSD@${timeframe}` }), risk: limits },
  );
}
const buyOnce = `if (n++ === 0) trade.buy('main', { volume: 1 });`;

describe('the limits of a strategy in a backtest', () => {
  it.each(['M1', 'H4', 'D1'])('halt it at the price that breaches them, on bars of %s', async (timeframe) => {
    const result = await run(
      `onBar(bar, trade) {
         ${buyOnce}
         if (n === 1) trade.buy('main', { volume: 1, kind: 'limit', price: 1 });
       },
       onOrderGone(gone, trade) { trade.log(gone.kind); }`,
      timeframe,
      { maxDrawdownPct: 4 },
    );
    expect(result.haltReason).toContain('reached maxDrawdownPct 4');
    expect(said(result)).toEqual(['cancelled']);
    expect(result.logs[0]?.timeMs).toBe(dipMs);
  });

  it.each(['M1', 'H4', 'D1'])(
    'count a daily loss from the first price of the market day, on bars of %s',
    async (tf) => {
      const result = await run(
        `onBar(bar, trade) { ${buyOnce} },
       onTick(tick, trade) { if (tick.timeMs >= ${dipMs} && tick.timeMs % 3600000 === 0) trade.buy('main', { volume: 0.1 }); }`,
        tf,
        { maxDailyLoss: 400 },
      );
      const left = 24 - Math.ceil(fallen / 60);
      expect(result.rejects).toHaveLength(left);
      for (const { reason } of result.rejects) expect(reason).toMatch(/^halted: daily loss of 5\d0.00 reached/);
      // The first of the new day is the tick of midnight itself.
      expect(result.fills[1]?.timeMs).toBe(startMs + 2 * dayMs);
    },
  );

  it('let it enter on the bar that closes with the first price of a new day', async () => {
    const result = await run(
      `onBar(bar, trade) {
         ${buyOnce}
         if (bar.timeMs >= ${startMs + 2 * dayMs - 2 * minuteMs}) trade.sell('main', { volume: 0.1 });
       }`,
      'M1',
      { maxDailyLoss: 400, maxOpenPositions: 2 },
    );
    expect(result.fills[1]?.timeMs).toBe(startMs + 2 * dayMs);
  });

  it('deny the entry on a bar that closes with the price that breaches them', async () => {
    const onBar = `onBar(bar, trade) { ${buyOnce} if (bar.timeMs === ${dipMs - minuteMs}) trade.buy('main', { volume: 1 }); }`;
    const result = await run(onBar, 'M1', { maxDrawdownPct: 4 });
    expect(result.rejects.map(({ reason }) => reason)).toEqual([expect.stringContaining('reached maxDrawdownPct 4')]);
    expect(result.fills).toHaveLength(1);
  });

  it('halt it when the cost of an entry breaches them, even if the next price makes up for it', async () => {
    const lastLowMs = startMs + dayMs + (recovered - 1) * minuteMs;
    const result = await run(
      `onBar(bar, trade) {
         if (bar.timeMs !== ${lastLowMs - minuteMs}) return;
         trade.buy('main', { volume: 1, kind: 'limit', price: 1 });
         trade.buy('main', { volume: 1 });
       },
       onOrderGone(gone, trade) { trade.log(gone.kind); }`,
      'M1',
      { maxDrawdownPct: 0.05 },
    );
    expect(result.logs.map(({ message, timeMs }) => [message, timeMs])).toEqual([['cancelled', lastLowMs]]);
    expect(result.fills[0]?.timeMs).toBe(lastLowMs);
    expect(result.haltReason).toBe('drawdown of 0.10 % reached maxDrawdownPct 0.05');
  });
});
