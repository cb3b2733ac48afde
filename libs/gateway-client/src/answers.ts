import type {
  cancelAnswerFields,
  cancelledItemFields,
  closeAllResultFields,
  closeAnswerFields,
  closedItemFields,
  levelsAnswerFields,
  mutationFields,
  orderAnswerFields,
  orderChangeFields,
  orderSendAnswerFields,
  RecordOf,
  sendResultRowFields,
  terminalRequestFields,
  terminalResultFields,
} from '@libs/records';
import type { AccountEvidenceReport, JournalReport } from './health-records';

// The client checks only that an answer is a success. Every member may be missing; one that is missing or null is not
// known.

/** `result` of a mutation: the terminal's order-send result. Nulls and zeros mean the server did not say. */
export type SendResult = Partial<Readonly<RecordOf<typeof sendResultRowFields>>>;

type MutationRow = Readonly<Partial<RecordOf<typeof mutationFields>>>;
type OrderRow = Readonly<Partial<RecordOf<typeof orderAnswerFields>>>;
type LevelsRow = Readonly<Partial<RecordOf<typeof levelsAnswerFields>>>;
type OrderChangeRow = Readonly<Partial<RecordOf<typeof orderChangeFields>>>;
type CancelRow = Readonly<Partial<RecordOf<typeof cancelAnswerFields>>>;
type CloseRow = Readonly<Partial<RecordOf<typeof closeAnswerFields>>>;
type OrderSendRow = Readonly<Partial<RecordOf<typeof orderSendAnswerFields>>>;
type TerminalResultRow = Readonly<Partial<RecordOf<typeof terminalResultFields>>>;
type TerminalRequestRow = Readonly<Partial<RecordOf<typeof terminalRequestFields>>>;

export type FillPriceSource = NonNullable<OrderRow['fill_price_source']>;

export interface MutationAnswer extends MutationRow {
  /** Null if the original answer is no longer kept and no order was created. */
  readonly result?: SendResult | null;
  /** The outcome was unknown at first and was recovered later. */
  readonly recovered?: boolean;
  /** False: neither the journal nor the audit log had the send; a repetition after a restart may be sent again. */
  readonly remembered?: false;
  /** The original answer is no longer kept; `result` contains at most the order. */
  readonly original_response_expired?: boolean;
}

export interface OrderAnswer extends MutationAnswer, OrderRow {}

/** The terminal's own result of `order_send`, with the request as it received it. */
export interface TerminalResult extends TerminalResultRow {
  readonly request?: TerminalRequestRow;
}

export interface OrderSendAnswer extends OrderSendRow, Omit<MutationAnswer, 'result'> {
  /** Null if the original answer is no longer kept and no order was created. */
  readonly result?: TerminalResult | null;
}

/** The levels of a position that are in force. */
export interface ModifySlTpAnswer extends MutationAnswer, LevelsRow {}

/** The current values of a pending order. */
export interface ModifyOrderAnswer extends MutationAnswer, OrderChangeRow {}

export interface CancelOrderAnswer extends MutationAnswer, CancelRow {}

export interface ClosePositionAnswer extends MutationAnswer, CloseRow {}

export type ClosedItem = Readonly<RecordOf<typeof closedItemFields>>;

type CancelledItem = Readonly<RecordOf<typeof cancelledItemFields>>;

/** A position or order that was not closed or cancelled, or may not have been. */
export interface FailedItem {
  readonly kind: 'order' | 'position';
  readonly ticket: number;
  readonly symbol: string;
  readonly error_type: string;
  readonly error: string;
}

/** Sums over the positions of a request to close all. */
export type CloseAllResult = Readonly<RecordOf<typeof closeAllResultFields>>;

/**
 * A partial success (status 207) is also `done`; then `failed` is not empty. While the outcome of one close is unknown,
 * the outcome of the request is `unknown`.
 */
export interface CloseAllAnswer extends MutationRow {
  readonly result?: CloseAllResult;
  readonly closed?: readonly ClosedItem[];
  readonly failed?: readonly FailedItem[];
  readonly recovered?: boolean;
  /** False: neither the journal nor the audit log had the send; a repetition after a restart may be sent again. */
  readonly remembered?: false;
}

export interface KillAnswer {
  readonly message?: string;
  readonly kill_switch_active?: true;
  /** Null if no flattening was requested. */
  readonly flatten?: {
    readonly cancelled: readonly CancelledItem[];
    readonly closed: readonly ClosedItem[];
    readonly failed: readonly FailedItem[];
    /** The broker may have executed these; `complete` is then false. */
    readonly unknown: readonly FailedItem[];
    readonly complete: boolean;
  } | null;
  /** Whether the action was written to the audit log; false when it cannot be written. */
  readonly audited?: boolean;
}

/** The answer of POST /account/accept. */
export interface AccountAcceptedAnswer {
  readonly message?: string;
  readonly account_evidence?: AccountEvidenceReport;
}

export interface JournalAcceptedAnswer {
  readonly message?: string;
  /** Orders whose keys are not bound; null if they could not be counted, or nothing was accepted. */
  readonly orders_without_tag?: number | null;
  readonly journal?: JournalReport;
}

export interface ReleaseAnswer {
  readonly message?: string;
  readonly kill_switch_active?: false;
  /** Whether the action was written to the audit log; false when it cannot be written. */
  readonly audited?: boolean;
}

/** What became of messages that were set aside. */
export interface SetAsideAnswer {
  readonly message?: string;
  readonly channel?: string;
  /** Ids that were changed. */
  readonly ids?: readonly string[];
  /** Ids that were not set aside; nothing was done for them. */
  readonly not_set_aside?: readonly string[];
}
