import { type Clock } from '@libs/clock';

/** A period that ends with {@link end}, which aborts every sleep and every request. */
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
