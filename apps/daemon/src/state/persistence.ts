import type { Change } from '../core/records';
import type { StrategyState } from './state-store';

/** Results of a strategy's writes; shown under `persistence` in its status. */
export class Persistence {
  writes = 0;
  failedWrites = 0;
  /** Null while the last write succeeded. */
  lastError: string | null;

  /** @param unreadable why the strategy's state cannot be read: it is never overwritten then */
  constructor(
    private readonly store: StrategyState,
    private readonly unreadable: string | null = null,
  ) {
    this.lastError = unreadable;
  }

  /** True if the change is on disk. A failure is counted and kept in {@link lastError}. */
  async write(change: Change): Promise<boolean> {
    try {
      if (this.unreadable !== null) throw new Error(this.unreadable);
      await this.store.write(change);
      this.writes++;
      this.lastError = null;
      return true;
    } catch (error) {
      this.failedWrites++;
      this.lastError = error instanceof Error ? error.message : String(error);
      return false;
    }
  }
}
