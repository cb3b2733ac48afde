import type {
  Bar,
  Fill,
  OrderGone,
  Reject,
  Tick,
  EntryOptions,
  OrderChange,
  Side,
  StackOptions,
  Trail,
} from '@libs/strategy';

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

/** An intent of a strategy. Its id is unique within one start of the daemon. */
export type Intent = { readonly id: string } & IntentAction;
export type IntentAction =
  | {
      readonly action: 'enter';
      readonly side: Side;
      readonly stream: string;
      readonly options: EntryOptions;
      /** The group of orders that it is in: the fill of one cancels the others. */
      readonly oco?: string;
    }
  | ({ readonly action: 'close'; readonly volume: number | null } & PositionRef)
  | ({
      readonly action: 'protect';
      readonly sl?: number | null;
      readonly tp?: number | null;
      /** Whether it is a move of the daemon's trailing stop. */
      readonly isTrailing?: true;
    } & PositionRef)
  | ({ readonly action: 'trail'; readonly trail: Trail | null } & PositionRef)
  | ({ readonly action: 'modify'; readonly change: OrderChange } & OrderRef)
  | ({ readonly action: 'cancel' } & OrderRef)
  | { readonly action: 'stack'; readonly stream: string; readonly options: Omit<StackOptions, 'stream'> };

interface OrderRef {
  readonly order: number;
  /** The gateway that numbered it; null when the strategy named a bare number. */
  readonly broker: string | null;
}

interface PositionRef {
  readonly position: number;
  /** The gateway that numbered it; null when the strategy named a bare number. */
  readonly broker: string | null;
}
