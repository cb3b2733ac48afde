import type { TradeCall } from '@libs/gateway-client';
import type { TradeAction } from '../policy/policy-file';

/** A trade request as it will be sent, and what it means. */
export interface TradePlan {
  readonly action: TradeAction;
  readonly call: TradeCall;
  /** The account that it is for. */
  readonly login: number;
  /** Ticket of the position or order that it touches; null for a new order. */
  readonly ticket: number | null;
  readonly symbol: string;
  /** Lots. */
  readonly lots: number;
  /** Of the order, or of the position or order that it touches. */
  readonly magic: number;
  /** In a few words that a person can repeat: `BUY 0.1 EURUSD`. */
  readonly words: string;
  /** Margin that it needs, in the deposit currency; null where it needs none. */
  readonly margin: number | null;
  /** Most that it loses at its stop loss, in the deposit currency; null: without a bound. */
  readonly atRisk: number | null;
  readonly currency: string;
  /** As `trade_mode` of the account. */
  readonly tradeMode: number;
}

/** Trade requests that an agent can ask for. */
export type TradeWish =
  | { readonly kind: 'order'; readonly order: WishedOrder }
  | { readonly kind: 'close'; readonly position: number; readonly volume?: number }
  | {
      readonly kind: 'levels';
      readonly position: number;
      readonly sl?: number;
      readonly tp?: number;
      readonly clear_sl?: boolean;
      readonly clear_tp?: boolean;
    }
  | {
      readonly kind: 'order_change';
      readonly order: number;
      readonly price?: number;
      readonly stoplimit?: number;
      readonly sl?: number;
      readonly tp?: number;
      readonly clear_sl?: boolean;
      readonly clear_tp?: boolean;
    }
  | { readonly kind: 'cancel'; readonly order: number };

interface WishedOrder {
  readonly symbol: string;
  /** Lots. */
  readonly volume: number;
  readonly type:
    'BUY' | 'SELL' | 'BUY_LIMIT' | 'SELL_LIMIT' | 'BUY_STOP' | 'SELL_STOP' | 'BUY_STOP_LIMIT' | 'SELL_STOP_LIMIT';
  readonly price?: number;
  readonly stoplimit?: number;
  readonly sl?: number;
  readonly tp?: number;
  /** Points. */
  readonly deviation?: number;
}
