import type { Quote } from '@libs/strategy';

/** In a fast market the bid may exceed the ask for a moment; above this share of the price it is an error. */
const mostCrossed = 0.001;

/** Whether a quote can be traded on: a time, two prices above zero, and no bid far above the ask. */
export function isSound({ timeMs, bid, ask }: Quote): boolean {
  if (![timeMs, bid, ask].every(Number.isFinite)) return false;
  return bid > 0 && ask > 0 && bid - ask <= ask * mostCrossed;
}
