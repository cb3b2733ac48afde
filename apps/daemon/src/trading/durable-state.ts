import type { StrategyBook } from '../core/strategy-book';
import type { StrategyLog } from '../logs/strategy-log';
import type { Persistence } from '../state/persistence';
import type { Change } from '../core/records';
import { Unsaved } from '../state/unsaved';

/** The state of one strategy on disk. */
export class DurableState {
  private readonly unsaved = new Unsaved();

  constructor(
    private readonly book: StrategyBook,
    readonly persistence: Persistence,
    private readonly log: StrategyLog,
  ) {}

  /** Makes a change durable that the book has applied. @returns false if it is not durable */
  async write(change: Change): Promise<boolean> {
    const { book, persistence, unsaved } = this;
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
