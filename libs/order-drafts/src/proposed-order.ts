import type { OrderFilling, OrderTime, OrderType, SymbolInfo, Tick } from '@libs/terminal-client';

/** The eight kinds of order that a client may request. */
export type ClientOrderType = Exclude<OrderType, typeof OrderType.CLOSE_BY>;

/** An order as requested; its prices are on the symbol's grid once the symbol is known. */
export interface ProposedOrder {
  readonly symbol: string;
  readonly type: ClientOrderType;
  /** Lots. */
  readonly volume: number;
  /** Requested price of a market order, own price of a pending one; null if not given. */
  readonly price: number | null;
  /** Limit price of a stop-limit order. */
  readonly stoplimit: number | null;
  readonly sl: number | null;
  readonly tp: number | null;
  /** Points. */
  readonly deviation: number;
  readonly filling: OrderFilling | null;
  /** UTC milliseconds; null: none. */
  readonly expirationMs: number | null;
  /** Absent: good till cancelled, or until the expiration. */
  readonly timeType?: OrderTime;
}

/** Limits of the operator; they need no market. */
export interface OrderLimits {
  /** The permitted symbols; if empty, all are. */
  readonly symbols: readonly string[];
  /** Lots. */
  readonly maxVolume: number;
  readonly maxPriceDeviationPct: number;
  /** Points. */
  readonly maxDeviationPoints: number;
}

/** The symbol and its quote at the moment of the check. */
export interface Market {
  readonly info: SymbolInfo;
  readonly tick: Tick;
  /** UTC milliseconds. */
  readonly nowMs: number;
}
