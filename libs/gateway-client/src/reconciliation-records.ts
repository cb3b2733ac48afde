import type { DealRecord, OrderRecord, PositionRecord } from './records';

/** One send whose outcome is not known yet. */
export interface UnresolvedSend {
  readonly intent_id: string;
  readonly purpose: 'open' | 'place_pending' | 'close' | 'close_partial' | 'modify_levels' | 'modify_order' | 'cancel';
  readonly symbol: string;
  /** Lots. */
  readonly volume: number;
  readonly position: number | null;
  readonly order: number | null;
  readonly magic: number;
  readonly comment: string;
  readonly reason: string;
  /** It is not looked up any more: what would prove the outcome has been overwritten or is gone. */
  readonly undecidable: boolean;
}

/** A trade request with such sends. */
export interface UnresolvedRequest {
  readonly client_order_id: string | null;
  readonly request_id: string;
  readonly route: string;
  readonly created_at: string;
  readonly sends: readonly UnresolvedSend[];
}

/** One point at which the broker and the gateway's journal disagree. */
export interface Difference {
  readonly kind:
    'intent_without_trace' | 'position_without_intent' | 'order_without_intent' | 'level_mismatch' | 'volume_mismatch';
  readonly message: string;
  readonly ticket: number | null;
  readonly symbol: string | null;
  readonly intent_id: string | null;
  readonly field: string | null;
  readonly expected: number | null;
  readonly actual: number | null;
}

export interface Reconciliation {
  /** ISO-8601 UTC. */
  readonly as_of: string;
  readonly positions: readonly PositionRecord[];
  readonly orders: readonly OrderRecord[];
  readonly deals: readonly DealRecord[];
  readonly unresolved: readonly UnresolvedRequest[];
  readonly differences: readonly Difference[];
}

/** What the gateway's journal knows of an idempotency key. */
export interface TradeRequestReport {
  readonly key: string;
  /** Of the first use, such as `POST /order`; null when it is no longer known. */
  readonly route: string | null;
  /** `void`: never sent, and nothing is ever sent under this key. */
  readonly status: 'in_progress' | 'completed' | 'unknown' | 'recovered' | 'absent' | 'void';
  /** First use, ISO-8601 UTC; null when it is no longer known. */
  readonly created_at: string | null;
  readonly response_status: number | null;
  readonly response: unknown;
}
