import type { Clock, Timer } from '@libs/clock';
import { StateWriteError, type StateStore } from './state-store';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Records a write removes: few enough that no order waits for it. */
const portion = 200;
const pauseMs = 50;

export interface PrunerOptions {
  readonly store: Pick<StateStore, 'prune'>;
  readonly clock: Clock;
  /** How long a record is kept after it is over. Rows of the terminal may lag behind deals, but not for a day. */
  readonly keepDays: number;
}

/** Prunes closed records after their retention period, a few at a time. */
export class Pruner {
  private timer: Timer | null = null;
  private stopped = false;
  private running: Promise<void> | null = null;

  constructor(private readonly options: PrunerOptions) {}

  /** Begins at once, and goes through the state again every hour. */
  start(): void {
    this.running = this.round().finally(() => {
      this.running = null;
      if (!this.stopped) this.timer = this.options.clock.setTimer(hourMs, () => this.start());
    });
  }

  /** Resolves when the last write has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.timer?.cancel();
    await this.running;
  }

  private async round(): Promise<void> {
    const { store, clock, keepDays } = this.options;
    try {
      while (!this.stopped && (await store.prune(clock.nowMs() - keepDays * dayMs, portion)) === portion) {
        await clock.sleep(pauseMs);
      }
    } catch (error) {
      // A failing disk is reported by the strategies; pruning can wait.
      if (!(error instanceof StateWriteError)) throw error;
    }
  }
}
