import type { Age } from '../core/strategy-event';

/** Lateness of a bar. */
export interface Lateness {
  /** Market time since the bar closed, in milliseconds; 0 while it is on time. */
  readonly lateMs: number;
  /** Whether the bar is too old to enter on: older than one bar of its timeframe. */
  readonly isStale: boolean;
}

export const onTime: Lateness = { lateMs: 0, isStale: false };

/** A bar that is handed on within this time of its close is on time. */
const promptMs = 10_000;
/**
 * A market whose bars last less than this is replayed so fast that the daemon is bars behind in normal operation. There
 * only the age on arrival counts, because what waits in the daemon's queue waits for the daemon and not for a gateway.
 */
const shortestBarMs = 500;

/**
 * Lateness of a bar. A bar closes when the next bar opens, so a weekend makes no bar late.
 * @param age how long ago it closed
 * @param onArrival how long ago it had closed when the gateway gave it
 * @param barMs length of the bar in market time
 */
export function latenessOf(age: Age, onArrival: Age, barMs: number): Lateness {
  const isFast = barMs / age.speed < shortestBarMs;
  const { marketMs, realMs } = isFast ? onArrival : age;
  const isPrompt = realMs <= promptMs;
  const isStale = marketMs > barMs && !(isFast && isPrompt);
  return isPrompt && !isStale ? onTime : { lateMs: Math.round(marketMs), isStale };
}
