import type { Bar, Fill, OrderGone, Reject, Tick } from '@libs/strategy';

/** An age in milliseconds. */
export interface Age {
  /** By the market's own clock. */
  readonly marketMs: number;
  /** By the daemon's monotonic clock. */
  readonly realMs: number;
  /**
   * How much faster than the daemon's clock the market ran from then until its latest quote; 1 where that is not known.
   */
  readonly speed: number;
}

/** A bar of one of a strategy's streams has closed. */
export interface BarEvent {
  readonly type: 'bar';
  readonly bar: Bar;
  readonly warmingUp: boolean;
  /** The bar's open on the broker's clock: identifies the handled bars of its series. */
  readonly serverMs: number;
  /** The next bar's open on the broker's clock: from then on the bar could be handed on. */
  readonly closedMs: number;
  /** How long ago it had closed when the gateway gave it; null where that does not matter, as in a backtest. */
  readonly onArrival: Age | null;
}

/** What happens to a strategy. */
export type StrategyEvent =
  | BarEvent
  | {
      readonly type: 'tick';
      readonly tick: Tick;
      /** Its time on the broker's clock, in milliseconds. */
      readonly serverMs: number;
    }
  | { readonly type: 'fill'; readonly fill: Fill }
  | { readonly type: 'reject'; readonly reject: Reject }
  | { readonly type: 'gone'; readonly gone: OrderGone };
