/** Waits between attempts, which double from the first to the longest. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Further doublings make no difference; without a bound, 0 ms would become 0 times infinity. */
const mostDoublings = 52;

/** The wait in milliseconds after attempt number `attempt`, counted from 0. */
export function backoffMs(attempt: number, { firstMs, longestMs }: Backoff): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(attempt, mostDoublings));
}
