import type { PastBars, RecordedTimes } from '@libs/simulator';
import type { Stream } from '@libs/strategy';
import { countText } from '@libs/gateway-client/figure-text';

/** A backtest that cannot be run as it was asked for, in words for people. */
export class BacktestRefusedError extends Error {}

/** The part of the recorded prices to trade in, in UTC milliseconds; null is as much as there is. */
export interface Period {
  /** First instant to trade at. */
  readonly fromMs: number | null;
  /** The instant at which it is over. */
  readonly toMs: number | null;
  /** Length of the prices at the start that only make the later bars whole, in milliseconds; 0 when omitted. */
  readonly leadMs?: number;
}

/** A stream and the bars of it that a run has to begin with. */
export interface WarmStream extends PastBars {
  readonly stream: Stream;
}

/**
 * The instant at which the market starts, in UTC milliseconds: the beginning of the period, or as soon as there are enough
 * past bars.
 * @throws BacktestRefusedError when the period has no prices, or the prices end before that
 */
export function startOf(times: RecordedTimes, period: Period, past: readonly WarmStream[]): number {
  const { firstMs, lastMs, amount } = times;
  const { fromMs, toMs, leadMs = 0 } = period;
  const span = `the prices go from ${shown(firstMs)} to ${shown(lastMs)} UTC`;
  if (fromMs !== null && toMs !== null && fromMs >= toMs) {
    throw new BacktestRefusedError(`--from ${shown(fromMs)} is not before --to ${shown(toMs)}`);
  }
  if (fromMs !== null && fromMs > lastMs) throw new BacktestRefusedError(`${span}: none after --from ${shown(fromMs)}`);
  if (toMs !== null && toMs <= firstMs) throw new BacktestRefusedError(`${span}: none before --to ${shown(toMs)}`);
  if (fromMs !== null && fromMs > firstMs) return fromMs;
  const readyMs = times.readyMs(past, leadMs);
  if (readyMs !== null) return readyMs;
  const bars = past.map(({ count, stream }) => `${countText(count, 'bar')} of ${stream.timeframe}`).join(', ');
  throw new BacktestRefusedError(`${bars} to warm up are more than the files contain: ${amount}`);
}

/** Why a market that stands at an instant, warmed up, has nothing to trade at: what comes after lies beyond the end. */
export function nothingToTrade(startMs: number, { fromMs, toMs }: Period): string {
  const before = toMs === null ? '' : ` and before --to ${shown(toMs)}`;
  const why = startMs === fromMs ? '' : ': earlier prices are the past bars that the strategies need';
  return `there are no prices to trade at after ${shown(startMs)}${before} UTC${why}`;
}

/** An instant as people read it: `2012-02-01 08:20`. */
export function shown(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ');
}
