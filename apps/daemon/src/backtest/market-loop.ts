import type { RecordedMinute } from '@libs/simulator';
import type { BacktestMarket } from './backtest-market';

/** Market minutes after which errors in promises of strategies are noticed, and the progress is shown. */
const turnMinutes = 240;

/** Least share of the market between two reports of the progress. */
const leastProgress = 0.005;

/** What trades in a market: one strategy, or the strategies of a portfolio. Times are UTC milliseconds of the market. */
export interface MarketTrader {
  /** When something is due that has no price of its own; infinite if nothing is. */
  readonly dueMs: number;
  /** Whether a price may change something that brings no bar. */
  readonly heedsPrices: boolean;
  /** Whether the present price needs a step although it brings no bar. */
  readonly wantsStep: boolean;
  /**
   * Handles the market up to this time.
   * @param closesBars whether a bar may have closed since the last step
   */
  step(timeMs: number, closesBars: boolean): void;
  /** Ends a minute with prices. @param timeMs time of its last price */
  endMinute(timeMs: number): void;
  /** Books what the broker did since the last look. */
  look(): void;
  /** Runs promises that strategies did not await. */
  rest(): Promise<void>;
}

/** Plays a market to its end, price by price. @param onProgress called now and then with how far it is, 0 to 1 */
export async function playMarket(
  market: BacktestMarket,
  trader: MarketTrader,
  onProgress: (share: number) => void,
): Promise<void> {
  const startMs = market.nowMs;
  let [minutes, shown] = [0, 0];
  for (const minute of market.minutes()) {
    playMinute(market, trader, minute);
    // Promises of strategies run here.
    await Promise.resolve();
    if (++minutes % turnMinutes !== 0) continue;
    const share = (market.nowMs - startMs) / Math.max(1, market.endMs - startMs);
    if (share >= shown + leastProgress) onProgress((shown = share));
    await trader.rest();
  }
  stepUntil(market, trader, market.endMs);
  market.advanceTo(market.endMs);
  trader.look();
  await trader.rest();
  onProgress(1);
}

function playMinute(market: BacktestMarket, trader: MarketTrader, { times, firsts, count }: RecordedMinute): void {
  for (let at = 0; at < count; at++) {
    const timeMs = times[at] ?? 0;
    stepUntil(market, trader, timeMs - 1);
    // A symbol's bars close with its first price of a minute. Other prices matter only while something waits for them.
    const isFirst = firsts[at] === 1;
    if (!isFirst && !trader.heedsPrices) continue;
    market.advanceTo(timeMs);
    if (isFirst || trader.wantsStep) trader.step(timeMs, isFirst);
  }
  trader.endMinute(times[count - 1] ?? 0);
}

/** Steps at the instants up to this one at which something is due that has no price of its own. */
function stepUntil(market: BacktestMarket, trader: MarketTrader, timeMs: number): void {
  for (let { dueMs } = trader; dueMs <= timeMs; { dueMs } = trader) {
    market.advanceTo(dueMs);
    trader.step(dueMs, false);
  }
}
