import type { StrategyEvent } from './worker/messages';

export interface QueuedEvent {
  readonly event: StrategyEvent;
  /** When the daemon learned of it, on the monotonic clock; null when that is of no interest. */
  readonly receivedNanos: number | null;
}

/** Work of the daemon's own that has to wait its turn, such as the next layer of a stack. */
export type QueuedWork = () => Promise<void>;
export type Queued = QueuedEvent | QueuedWork;

/** Maximum number of queued ticks; older ones are dropped. */
const mostTicks = 1_000;

/**
 * The queue of a strategy: its own fills and refusals before market events. Bars are never dropped; the number of ticks
 * is bounded.
 */
export class EventQueue {
  droppedTicks = 0;
  private readonly own: Queued[] = [];
  private readonly market: Queued[] = [];
  private ticks = 0;

  get depth(): number {
    return this.own.length + this.market.length;
  }

  add(queued: QueuedEvent): void {
    const { type } = queued.event;
    if (type === 'fill' || type === 'reject' || type === 'gone') {
      this.own.push(queued);
      return;
    }
    this.market.push(queued);
    if (type === 'tick' && ++this.ticks > mostTicks) this.dropOldestTick();
  }

  /** Adds work that runs before market events. */
  addWork(work: QueuedWork): void {
    this.own.push(work);
  }

  /** Work that is done when all that waits now has been handled. */
  addLast(work: QueuedWork): void {
    this.market.push(work);
  }

  take(): Queued | null {
    const next = this.own.shift() ?? this.market.shift() ?? null;
    if (next !== null && typeof next !== 'function' && next.event.type === 'tick') this.ticks--;
    return next;
  }

  clear(): void {
    this.own.length = 0;
    this.clearMarket();
  }

  /** Drops market events; the strategy's own fills and refusals stay. */
  clearMarket(): void {
    this.market.length = 0;
    this.ticks = 0;
  }

  private dropOldestTick(): void {
    const index = this.market.findIndex((queued) => typeof queued !== 'function' && queued.event.type === 'tick');
    this.market.splice(index, 1);
    this.ticks--;
    this.droppedTicks++;
  }
}
