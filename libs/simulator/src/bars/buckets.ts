import { Timeframe, timeframeSeconds } from '@libs/terminal-client';

const DAY = 86_400;

/** The open of the bar that holds a moment, both in server seconds. Weeks open on Sunday, months on their first. */
export function bucketStart(timeframe: Timeframe, serverSeconds: number): number {
  if (timeframe === Timeframe.MN1) {
    const date = new Date(serverSeconds * 1_000);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1_000;
  }
  // The epoch was a Thursday: its week opened four days before.
  if (timeframe === Timeframe.W1) return serverSeconds - mod(serverSeconds + 4 * DAY, 7 * DAY);
  return serverSeconds - mod(serverSeconds, timeframeSeconds(timeframe) ?? 60);
}

function mod(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
