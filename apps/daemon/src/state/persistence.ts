import type { Change, StateStore } from './state-store';

/** How a strategy's writes fared; shown under `persistence` in its status. */
export class Persistence {
  writes = 0;
  failedWrites = 0;
  /** Null while the last write succeeded. */
  lastError: string | null = null;

  constructor(private readonly store: StateStore) {}

  /** True when the change is on disk; a failure is counted and kept, for the caller to decide what it forbids. */
  async write(change: Change): Promise<boolean> {
    try {
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
