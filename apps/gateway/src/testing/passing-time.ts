import type { VirtualClock } from '@libs/clock';

/**
 * Advances virtual time in small steps until work is done, because a simulated disk needs it.
 * @param stepMs virtual milliseconds
 */
export async function passUntilDone<T>(clock: VirtualClock, pending: Promise<T>, stepMs = 1): Promise<T> {
  let isDone = false;
  const watched = pending.finally(() => (isDone = true));
  watched.catch(() => undefined);
  while (!isDone) {
    await clock.advance(stepMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return watched;
}
