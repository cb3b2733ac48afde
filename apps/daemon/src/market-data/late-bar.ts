import type { Age } from './market-time';

/** How late a bar is. */
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
 * A market whose bars last less than this is replayed so fast that the daemon is bars behind in normal operation. There a
 * bar is stale when it is older than one bar and, by the daemon's clock, not prompt.
 */
const shortestBarMs = 500;

/**
 * How late a bar is, by how long ago it closed. A bar closes when the next bar opens, so a weekend makes no bar late.
 * @param barMs length of the bar in market time
 */
export function latenessOf({ marketMs, realMs }: Age, barMs: number): Lateness {
  const isPrompt = realMs <= promptMs;
  const isOld = marketMs > barMs;
  const realBarMs = marketMs === 0 ? barMs : (barMs * realMs) / marketMs;
  const isStale = isOld && (!isPrompt || realBarMs >= shortestBarMs);
  return isPrompt && !isStale ? onTime : { lateMs: Math.round(marketMs), isStale };
}
