import type { Change, StateStore } from './state-store';

/** How a strategy's writes fared; shown under `persistence` in its status. */
export class Persistence {
  writes = 0;
  failedWrites = 0;
  /** Null while the last write succeeded. */
  lastError: string | null;

  /** @param unreadable why the strategy's state cannot be read: it is never written over then */
  constructor(
    private readonly store: StateStore,
    private readonly unreadable: string | null = null,
  ) {
    this.lastError = unreadable;
  }

  /** True when the change is on disk; a failure is counted and kept, for the caller to decide what it forbids. */
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
