import type { StrategyEvent } from './strategy-event';
import type { Layer } from './stacks';

/** An event for the strategy. */
export interface QueuedEvent<Event extends StrategyEvent = StrategyEvent> {
  readonly type: 'event';
  readonly event: Event;
  /** When it was received, in monotonic nanoseconds; null if its latency is not measured. */
  readonly receivedNanos: number | null;
}

/** What waits in the queue of a strategy. */
export type QueueItem<Turn = never> =
  | QueuedEvent
  /** A layer of a stack, after the market has reached its price. */
  | { readonly type: 'layer'; readonly layer: Layer }
  /** Work of the shell that is due when everything before it has been handled. */
  | { readonly type: 'turn'; readonly turn: Turn };

/** Maximum number of queued ticks; older ones are dropped. */
const mostTicks = 1_000;

/**
 * The order in which a strategy receives its events, live and in a backtest: its own fills, rejections and ended orders and
 * the layers of its stacks before market events, and each kind in the order of its arrival. The number of ticks is bounded;
 * nothing else is dropped.
 */
export class EventQueue<Turn = never> {
  droppedTicks = 0;
  private readonly own: QueueItem<Turn>[] = [];
  private readonly market: QueueItem<Turn>[] = [];
  private ticks = 0;

  get depth(): number {
    return this.own.length + this.market.length;
  }

  add(item: QueueItem<Turn>): void {
    if (isOwn(item)) {
      this.own.push(item);
      return;
    }
    this.market.push(item);
    if (isTick(item) && ++this.ticks > mostTicks) this.dropOldestTick();
  }

  take(): QueueItem<Turn> | null {
    const next = this.own.shift() ?? this.market.shift() ?? null;
    if (next !== null && isTick(next)) this.ticks--;
    return next;
  }

  clear(): void {
    this.own.length = 0;
    this.clearMarket();
  }

  /** Drops market events; the strategy's own fills, rejections and layers stay. */
  clearMarket(): void {
    this.market.length = 0;
    this.ticks = 0;
  }

  private dropOldestTick(): void {
    this.market.splice(this.market.findIndex(isTick), 1);
    this.ticks--;
    this.droppedTicks++;
  }
}

function isOwn(item: QueueItem<unknown>): boolean {
  if (item.type !== 'event') return item.type === 'layer';
  const { type } = item.event;
  return type === 'fill' || type === 'reject' || type === 'gone';
}

function isTick(item: QueueItem<unknown>): boolean {
  return item.type === 'event' && item.event.type === 'tick';
}
