import { type Clock } from '@libs/clock';

/** How long something may go on: until {@link end}, which cuts every sleep and every request short. */
export class Lifetime {
  private readonly controller = new AbortController();

  constructor(private readonly clock: Clock) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isOver(): boolean {
    return this.controller.signal.aborted;
  }

  end(): void {
    this.controller.abort();
  }

  /** Sleeps, or returns early when the lifetime ends. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.isOver) return resolve();
      const done = (): void => {
        timer.cancel();
        this.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = this.clock.setTimer(delayMs, done);
      this.signal.addEventListener('abort', done);
    });
  }
}

/** The value, or undefined when `delayMs` pass before it is there. */
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

/** The delay before try number `attempt` (0 for the first): doubles from `baseMs` up to `maxMs`. */
export function backOffMs(attempt: number, { baseMs, maxMs }: { baseMs: number; maxMs: number }): number {
  return Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
}
