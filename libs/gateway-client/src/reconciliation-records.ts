import type {
  auditVerificationFields,
  differenceFields,
  keyedAuditFields,
  recentRequestFields,
  recentRequestsFields,
  RecordOf,
  tradeRequestFields,
  unresolvedRequestFields,
  unresolvedSendFields,
} from '@libs/records';
import type { DealRecord, OrderRecord, PositionRecord } from './records';

/** One send whose outcome is not known yet. */
export type UnresolvedSend = Readonly<RecordOf<typeof unresolvedSendFields>>;

type RequestRow = Readonly<RecordOf<typeof unresolvedRequestFields>>;

/** A trade request with such sends. */
export interface UnresolvedRequest extends RequestRow {
  readonly sends: readonly UnresolvedSend[];
}

/** One point at which the broker and the gateway's journal disagree. */
export type Difference = Readonly<RecordOf<typeof differenceFields>>;

export interface Reconciliation {
  /** ISO-8601 UTC. */
  readonly as_of: string;
  readonly positions: readonly PositionRecord[];
  readonly orders: readonly OrderRecord[];
  readonly deals: readonly DealRecord[];
  readonly unresolved: readonly UnresolvedRequest[];
  readonly differences: readonly Difference[];
}

type TradeRequestRow = Readonly<RecordOf<typeof tradeRequestFields>>;

/** What the gateway's journal has of an idempotency key. */
export interface TradeRequestReport extends TradeRequestRow {
  readonly response: unknown;
}

/** One trade request, and what came of it. */
export type RecentRequest = Readonly<RecordOf<typeof recentRequestFields>>;

type RecentRequestsRow = Readonly<RecordOf<typeof recentRequestsFields>>;

/** The newest trade requests, newest first. */
export interface RecentRequests extends RecentRequestsRow {
  readonly requests: readonly RecentRequest[];
}

type KeyedAuditRow = Readonly<RecordOf<typeof keyedAuditFields>>;

type AuditVerificationRow = Readonly<RecordOf<typeof auditVerificationFields>>;

/** What a check of the audit log found. */
export interface AuditVerification extends AuditVerificationRow {
  /** Missing, reordered and repeated lines, and intents without an outcome: the first 100. */
  readonly problems: readonly string[];
}

/** What the audit log has of an idempotency key. */
export interface KeyedAudit extends KeyedAuditRow {
  /** Oldest first, as they are in the log. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}
