import { ServerClock } from '@libs/simulator';

const hourMs = 3_600_000;
const serverClock = new ServerClock('Europe/Athens');

/**
 * When a bar opened, in UTC milliseconds. In an hour that the server's clock repeats, gateways state the first of two instants,
 * and the bar may be of the second.
 * @param statedMs what the gateway states
 * @param nowMs an instant after the bar has closed
 */
export function openedMs(statedMs: number, barMs: number, nowMs: number): number {
  const secondMs = statedMs + hourMs;
  const isRepeated = serverClock.serverMs(secondMs) === serverClock.serverMs(statedMs);
  return isRepeated && secondMs + barMs <= nowMs ? secondMs : statedMs;
}
