import type { StrategyLog } from '../logs/strategy-log';
import type { Persistence } from '../state/persistence';
import type { Change } from '../state/state-store';
import { Unsaved } from '../state/unsaved';
import type { StrategyBook } from '../core/strategy-book';

/** The book of one strategy and its state on disk. */
export class DurableBook {
  private readonly unsaved = new Unsaved();

  constructor(
    readonly book: StrategyBook,
    readonly persistence: Persistence,
    private readonly log: StrategyLog,
  ) {}

  /** Applies a change at once and makes it durable. @returns false if it is not durable */
  async commit(change: Change): Promise<boolean> {
    const { book, persistence, unsaved } = this;
    // Memory first: the broker's state is a fact even if the disk fails, and a later change must not be overwritten.
    book.apply(change);
    const { strategy, ...rest } = change;
    const whole = unsaved.with(strategy ? { ...rest, strategy: book.record } : rest);
    const isDurable = await persistence.write(whole);
    if (isDurable) unsaved.saved(whole);
    else {
      unsaved.keep(whole);
      this.log.error('the state could not be written', { error: persistence.lastError });
    }
    return isDurable;
  }
}
