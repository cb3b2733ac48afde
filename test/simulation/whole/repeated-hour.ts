import { ServerClock } from '@libs/simulator';

const hourMs = 3_600_000;
const serverClock = new ServerClock('Europe/Athens');

/**
 * When a bar closed, in UTC milliseconds: with the first price at or after its end on the server's clock. The prices of an hour
 * that this clock repeats are those of the bar that formed before, up to that bar's end.
 * @param statedMs open of the bar as gateways state it: in a repeated hour the first of two instants
 * @param nextPriceMs the first price at or after an instant
 */
export function barClosedMs(statedMs: number, barMs: number, nextPriceMs: (fromMs: number) => number): number {
  const endServerMs = serverClock.serverMs(statedMs) + barMs;
  const endMs = serverClock.utcMs(endServerMs);
  const firstMs = nextPriceMs(endMs);
  return serverClock.serverMs(firstMs) >= endServerMs ? firstMs : nextPriceMs(endMs + hourMs);
}
