import type { Side } from './trade';

/** An execution of this strategy's, with its costs, as the broker's deal states them. */
export interface Fill<Alias extends string = string> {
  /** The intent it answers; null for what the broker did on its own, or a person by hand. */
  readonly intentId: string | null;
  /** Ticket of the deal. */
  readonly deal: number;
  /** Ticket of the order that opened the position: it stays the position's own whatever the broker does. */
  readonly position: number;
  /** As that of a position. */
  readonly stream: Alias;
  /** The tag of the entry that opened the position; null without one. */
  readonly tag: string | null;
  readonly symbol: string;
  /** Side of the deal: closing a bought position is a sell. */
  readonly side: Side;
  readonly entry: 'in' | 'out' | 'inout' | 'out_by';
  /** Why the deal came to be. */
  readonly reason: 'strategy' | 'sl' | 'tp' | 'stop_out' | 'other';
  /** Lots. */
  readonly volume: number;
  readonly price: number;
  /** Result of this deal with commission, swap and fee, in the account's currency. */
  readonly realized: number;
  /** Milliseconds since the epoch; null while the zone of the broker's clock is not known. */
  readonly timeMs: number | null;
}

/** A pending order, or the rest of an order that was filled in part, that no longer waits and will not be filled. */
export interface OrderGone<Alias extends string = string> {
  /** The intent that placed it; null when that is not known. */
  readonly intentId: string | null;
  /** Its ticket. */
  readonly order: number;
  /** As that of a position. */
  readonly stream: Alias;
  readonly symbol: string;
  /** `cancelled` by the strategy, a halt, a person or the broker; `rejected` or `expired` at the broker. */
  readonly kind: 'cancelled' | 'rejected' | 'expired';
  /** Lots it was placed with. */
  readonly volume: number;
  /** Lots of them that were filled before. */
  readonly filled: number;
}

/** An intent that came to nothing. */
export interface Reject {
  readonly intentId: string;
  /**
   * - `denied`: by the daemon's own rules, nothing was sent;
   * - `rejected`: by the gateway or the broker, proven that nothing was done;
   * - `blocked`: the kill switch is active.
   */
  readonly kind: 'denied' | 'rejected' | 'blocked';
  /** Why; `stale_bar` for an entry decided on a bar that was handed on more than one bar late. */
  readonly reason: string;
  /** The terminal's return code, when there was one. */
  readonly retcode: number | null;
}

/** A multiple of the strategy's period has passed on the market's own clock. */
export interface TimerEvent {
  readonly timeMs: number;
}
