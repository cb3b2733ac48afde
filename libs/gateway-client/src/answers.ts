import type { JournalReport } from './health-records';
/**
 * What the gateway answers to trade and control requests that are done. Nothing of it is checked here but that it is a
 * yes, so every member may be missing; one that is missing or null is not known.
 */

/** `result` of a mutation: the terminal's order-send result. Nulls and zeros mean the server did not say. */
export interface SendResult {
  readonly retcode?: number;
  readonly retcode_name?: string;
  readonly deal?: number | null;
  readonly order?: number | null;
  readonly volume?: number | null;
  readonly price?: number | null;
  readonly bid?: number | null;
  readonly ask?: number | null;
  readonly comment?: string;
  readonly request_id?: number;
  readonly retcode_external?: number;
}

export type FillPriceSource = 'order_send' | 'deal' | 'position' | 'unresolved';

export interface MutationAnswer {
  readonly message?: string;
  /** Null when the original answer is no longer kept, and no order was made. */
  readonly result?: SendResult | null;
  readonly client_order_id?: string | null;
  /** The outcome was unknown at first, and has been looked up. */
  readonly recovered?: boolean;
  /** False: neither the journal nor the audit log had the send; a repetition after a restart may be sent again. */
  readonly remembered?: false;
  /** The original answer is no longer kept: of `result` at most the order is left. */
  readonly original_response_expired?: boolean;
}

export interface OrderAnswer extends MutationAnswer {
  /** `placed` is accepted and waiting, as a pending order does, or a market order whose fill is not seen yet. */
  readonly state?: 'placed' | 'executed' | 'partially_executed';
  readonly partial_fill?: boolean;
  readonly remaining_volume?: number | null;
  readonly fill_price_source?: FillPriceSource | null;
  readonly position?: number | null;
  readonly sl_confirmed?: boolean | null;
  readonly tp_confirmed?: boolean | null;
}

/** The levels of a position as they are in force. */
export interface ModifySlTpAnswer extends MutationAnswer {
  readonly position?: number;
  readonly sl?: number | null;
  readonly tp?: number | null;
  readonly sl_confirmed?: boolean | null;
  readonly tp_confirmed?: boolean | null;
  readonly no_changes?: boolean;
}

/** A pending order as it is in force. */
export interface ModifyOrderAnswer extends MutationAnswer {
  readonly ticket?: number;
  readonly price?: number;
  readonly stoplimit?: number | null;
  readonly sl?: number | null;
  readonly tp?: number | null;
  readonly time_expiration_utc?: string | null;
  readonly sl_confirmed?: boolean | null;
  readonly tp_confirmed?: boolean | null;
  readonly no_changes?: boolean;
}

export interface CancelOrderAnswer extends MutationAnswer {
  readonly ticket?: number;
  readonly state?: 'cancelled';
}

export interface ClosePositionAnswer extends MutationAnswer {
  readonly state?: 'closed' | 'partially_closed';
  readonly position?: number;
  /** Lots. */
  readonly closed_volume?: number;
  readonly remaining_volume?: number;
  readonly fill_price_source?: FillPriceSource | null;
  readonly profit?: number | null;
  readonly already_closed?: boolean;
}

export interface ClosedItem {
  readonly ticket: number;
  readonly symbol: string;
  readonly volume: number;
  readonly price: number | null;
  readonly deal: number | null;
  readonly profit: number | null;
}

/** A position or order that was not closed or cancelled, or of which that is not known. */
export interface FailedItem {
  readonly kind: 'order' | 'position';
  readonly ticket: number;
  readonly symbol: string;
  readonly error_type: string;
  readonly error: string;
}

/** What the closes of one request came to together. */
export interface CloseAllResult {
  /** Positions that matched the filters. */
  readonly positions: number;
  /** Positions that were closed, wholly or in part. */
  readonly closed: number;
  readonly failed: number;
  /** Lots, of all symbols. */
  readonly closed_volume: number;
  /** Deposit currency; null while the profit of one of them is not known. */
  readonly profit: number | null;
}

/**
 * Done is also what was done in part (status 207): then `failed` is not empty. While the outcome of one close is
 * unknown, the outcome of the request is `unknown`.
 */
export interface CloseAllAnswer {
  readonly message?: string;
  readonly result?: CloseAllResult;
  readonly closed?: readonly ClosedItem[];
  readonly failed?: readonly FailedItem[];
  readonly client_order_id?: string | null;
  readonly recovered?: boolean;
  /** False: neither the journal nor the audit log had the send; a repetition after a restart may be sent again. */
  readonly remembered?: false;
}

export interface KillAnswer {
  readonly message?: string;
  readonly kill_switch_active?: true;
  /** Null when no flattening was asked for. */
  readonly flatten?: {
    readonly cancelled: readonly { readonly ticket: number; readonly symbol: string }[];
    readonly closed: readonly ClosedItem[];
    readonly failed: readonly FailedItem[];
    /** The broker may have executed these; `complete` is then false. */
    readonly unknown: readonly FailedItem[];
    readonly complete: boolean;
  } | null;
  /** Whether the audit log has the line; false when it cannot be written. */
  readonly audited?: boolean;
}

export interface JournalAcceptedAnswer {
  readonly message?: string;
  readonly journal?: JournalReport;
}

export interface ReleaseAnswer {
  readonly message?: string;
  readonly kill_switch_active?: false;
  /** Whether the audit log has the line; false when it cannot be written. */
  readonly audited?: boolean;
}
