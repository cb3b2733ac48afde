import type { Fill, OrderGone, Reject } from '@libs/strategy';
import type { Layer } from '../core/stacks';
import type { HaltRecord } from '../core/records';

/** What happened to the orders, the positions and the account of one strategy. */
export type TradingEvent =
  /** A request was executed. `ticket`: the order that it became, if known. */
  | { readonly type: 'done'; readonly intentId: string; readonly key: string; readonly ticket: number | null }
  /** An intent was denied, or its request had no effect. */
  | { readonly type: 'rejected'; readonly reject: Reject }
  | { readonly type: 'filled'; readonly fills: readonly Fill[] }
  | { readonly type: 'gone'; readonly gone: OrderGone }
  | { readonly type: 'halted'; readonly halt: HaltRecord }
  /** The price of a layer of a stack is reached: it enters in its turn among the strategy's events. */
  | { readonly type: 'reached'; readonly layer: Layer }
  /** The account was read, and the books agree with it. */
  | { readonly type: 'seen' };

/** Delivers the events of one strategy to its listeners, in the order in which they began to listen. */
export class TradingEvents {
  private readonly listeners: ((event: TradingEvent) => void)[] = [];

  listen(listener: (event: TradingEvent) => void): void {
    this.listeners.push(listener);
  }

  emit(event: TradingEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}

/** Events for the listeners of a strategy: signals, order outcomes, trades and halts. */
type StrategyEventName = 'signal' | 'order' | 'trade' | 'halt';
type Listener = (name: StrategyEventName, data: object) => void;

/** Emits the events of one strategy to its listeners. */
export class StrategyEvents {
  private readonly listeners = new Set<Listener>();

  emit(name: StrategyEventName, data: object): void {
    for (const listener of this.listeners) listener(name, data);
  }

  /** @returns a function that ends the listening */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}
