import type { Quote } from '@libs/strategy';

/** A bid may stand above the ask for a moment in a fast market; further apart than this share of the price it is an error. */
const mostCrossed = 0.001;

/** Whether a quote can be traded on: a time, two prices above zero, and no bid far above the ask. */
export function isSound({ timeMs, bid, ask }: Quote): boolean {
  if (![timeMs, bid, ask].every(Number.isFinite)) return false;
  return bid > 0 && ask > 0 && bid - ask <= ask * mostCrossed;
}
