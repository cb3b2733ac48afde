import type { Clock } from './clock';

/** The value, or undefined if it takes longer than `delayMs`. */
export async function within<T>(clock: Clock, delayMs: number, work: Promise<T>): Promise<T | undefined> {
  let stop = (): void => undefined;
  const late = new Promise<undefined>((resolve) => {
    const timer = clock.setTimer(delayMs, () => resolve(undefined));
    stop = () => timer.cancel();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stop();
  }
}
