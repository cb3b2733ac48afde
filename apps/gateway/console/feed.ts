import { signal } from '@preact/signals';
import { nothingRead, pauseAfter, standingOf, type Reading, type Standing } from './reading';

/** Monotonic milliseconds, twice a second, so that every shown age grows while nothing else happens. */
export const now = signal(performance.now());
setInterval(() => {
  now.value = performance.now();
}, 500);

export interface FeedOptions<T> {
  readonly read: () => Promise<T>;
  /** Pause between the end of a read and the next one, in milliseconds; shorter after a failed one if it is long. */
  readonly everyMs: number;
  readonly onFailure: (error: unknown) => void;
  /** Whether the header states already why a read failed. */
  readonly isStated?: (error: unknown) => boolean;
}

/** Reads one route again and again, one read at a time. A failed read keeps the last value, which is then stale. */
export class Feed<T> {
  readonly reading = signal<Reading<T>>(nothingRead);
  private readonly sinceMs = performance.now();
  private readonly failure = signal<unknown>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isReading = false;
  private isDue = false;
  private isStopped = false;

  constructor(private readonly options: FeedOptions<T>) {}

  get standing(): Standing {
    return standingOf(this.reading.value, now.value, 3 * this.options.everyMs);
  }

  /** The value if it may be shown as current, else null. */
  get current(): T | null {
    return this.standing === 'current' ? this.reading.value.value : null;
  }

  /** How long it has been read without a first success, in milliseconds. */
  get unreadMs(): number {
    return now.value - this.sinceMs;
  }

  /** Whether the newest read failed for the reason that the header states. */
  get isStated(): boolean {
    return this.reading.value.error !== null && this.options.isStated?.(this.failure.value) === true;
  }

  /** Reads now. During a read, another one follows, because the first may have missed what has just happened. */
  async refresh(): Promise<void> {
    if (this.isReading) {
      this.isDue = true;
      return;
    }
    clearTimeout(this.timer);
    this.isReading = true;
    do {
      this.isDue = false;
      if (!this.isStopped) await this.readOnce();
    } while (this.isDue);
    this.isReading = false;
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.refresh(), pauseAfter(this.reading.peek(), this.options.everyMs));
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private async readOnce(): Promise<void> {
    const readAtMs = performance.now();
    try {
      const value = await this.options.read();
      if (!this.isStopped) this.reading.value = { value, readAtMs, error: null };
    } catch (error) {
      if (this.isStopped) return;
      this.failure.value = error;
      this.reading.value = { ...this.reading.value, error: error instanceof Error ? error.message : 'the read failed' };
      this.options.onFailure(error);
    } finally {
      now.value = performance.now();
    }
  }
}
