import type { StrategyEvent } from './strategy-event';

/** Handlers of one kind of event that may throw in a row before the strategy is halted. */
const mostErrors = 5;

/** Counts the handlers of a strategy that threw. */
export class HandlerErrors {
  /** How often a handler threw. */
  count = 0;
  /** Counted per event type, so that a healthy onReject does not reset a failing onBar. */
  private readonly inARow = new Map<StrategyEvent['type'], number>();

  /**
   * Notes how the handler of an event ended.
   * @param hasThrown whether it threw
   * @param isHalted whether the strategy is halted already
   * @returns why the strategy is to be halted now; null if it is not
   */
  note(type: StrategyEvent['type'], hasThrown: boolean, isHalted: boolean): string | null {
    if (!hasThrown) {
      this.inARow.delete(type);
      return null;
    }
    this.count++;
    const inARow = (this.inARow.get(type) ?? 0) + 1;
    this.inARow.set(type, inARow);
    if (inARow < mostErrors || isHalted) return null;
    this.inARow.clear();
    return `${mostErrors} handlers threw in a row`;
  }
}
