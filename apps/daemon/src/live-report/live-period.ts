import type { Span } from './live-trade';

const dayMs = 86_400_000;

/** A period without any time in it. */
export class EmptyPeriodError extends Error {}

/** The period that a command was asked for, in UTC milliseconds. */
export interface LivePeriod {
  /** Null: `days` before its end. */
  readonly fromMs: number | null;
  /** Null: now. */
  readonly toMs: number | null;
  readonly days: number;
}

/**
 * The period in the time of the market: a replayed market, or one that runs faster than the clock, has its own.
 * @param marketMs the newest quote of the strategies' symbols; null while there is none
 * @param nowMs the clock, where there is no quote
 * @throws EmptyPeriodError
 */
export function spanOf({ fromMs, toMs, days }: LivePeriod, marketMs: number | null, nowMs: number): Span {
  const endMs = toMs ?? marketMs ?? nowMs;
  if (fromMs !== null && fromMs >= endMs) {
    const [from, end] = [fromMs, endMs].map((timeMs) => new Date(timeMs).toISOString());
    throw new EmptyPeriodError(
      `--from ${from} is not before ${toMs === null ? 'the newest quote, of' : '--to'} ${end}`,
    );
  }
  return { fromMs: fromMs ?? endMs - days * dayMs, toMs: endMs, isUntilNow: toMs === null };
}

/** The newest quote is that old at most, over a long weekend. */
const longestPauseMs = 4 * dayMs;
/** Clocks of brokers are off by that much at most. */
const mostAheadMs = 60_000;

/** Whether the market goes by the clock, and is not a replay, nor faster than the clock. */
export function goesByClock({ toMs, isUntilNow }: Span, nowMs: number): boolean {
  return !isUntilNow || (toMs < nowMs + mostAheadMs && nowMs - toMs < longestPauseMs);
}
