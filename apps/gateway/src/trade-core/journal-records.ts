import type { KeyRole } from '../audit/caller';
import type { StoredStatus } from '@libs/request-life';
import type { LastError, OrderSendResult, TradeRequest } from '@libs/terminal-client';

/** Purpose of a send; decides how its outcome is read and where its trace is searched. */
export type TradePurpose =
  'open' | 'place_pending' | 'close' | 'close_partial' | 'close_by' | 'modify_levels' | 'modify_order' | 'cancel';

/** Whether requests of a purpose only reduce risk; these pass even if they cannot be written. */
export function reducesRisk(purpose: TradePurpose): boolean {
  return purpose === 'cancel' || closes(purpose);
}

/** Whether requests of a purpose close what is open, by an order of their own. */
export function closes(purpose: TradePurpose): boolean {
  return purpose === 'close' || purpose === 'close_partial' || purpose === 'close_by';
}

/** The outcome of one intent. */
export type IntentOutcome =
  | { readonly kind: 'pending' }
  /** Proven never sent, by the gateway before the send or by the link. */
  | { readonly kind: 'not_sent'; readonly reason: string; readonly lastError: LastError | null }
  | { readonly kind: 'done'; readonly result: OrderSendResult; readonly source: 'answer' | 'late_answer' | 'lookup' }
  /** Proven that nothing was done: by the server's retcode, or because the terminal refused the parameters. */
  | { readonly kind: 'rejected'; readonly result: OrderSendResult | null; readonly lastError: LastError | null }
  | {
      readonly kind: 'unknown';
      readonly reason: string;
      readonly result: OrderSendResult | null;
      readonly lastError: LastError | null;
      /** No longer looked up, because the evidence is gone. A late answer still settles it. */
      readonly undecidable?: true;
    }
  /** Looked up, without any trace of it. */
  | { readonly kind: 'absent' };

export type SettledOutcome = Exclude<IntentOutcome, { readonly kind: 'pending' }>;

/** The outcome of a send that the broker may have executed, without any word of the broker or the terminal. */
export function unknownBecause(reason: string): Extract<IntentOutcome, { readonly kind: 'unknown' }> {
  return { kind: 'unknown', reason, result: null, lastError: null };
}

/** Whether the outcome of a send is still to come. */
export function isOpenIntent({ outcome: { kind } }: Pick<IntentRecord, 'outcome'>): boolean {
  return kind === 'pending' || kind === 'unknown';
}

/** Values that a change of a position or pending order sets; 0 means none. Prices, and server seconds. */
export interface ChangeableValues {
  readonly sl: number;
  readonly tp: number;
  readonly price?: number;
  readonly stoplimit?: number;
  readonly expiration?: number;
  /** Missing in records of version 0.3.0 and earlier. */
  readonly type_time?: number;
}

/** The opposite position of a close by, before the send. */
export interface OppositePosition {
  /** Its identifier. */
  readonly positionId: number;
  /** Lots. */
  readonly positionVolume: number;
  readonly magic: number;
  /** Server milliseconds; missing if it was read from the audit log. */
  readonly openedMsc?: number;
}

/** Evidence from the look-ups of one intent so far. */
export interface LookUpEvidence {
  readonly nothing?: CountedReads;
  readonly contested?: CountedReads;
  readonly undecidable?: CountedReads;
  /** Why the outcome cannot be determined, once a read showed that. */
  readonly reason?: string;
}

interface CountedReads {
  readonly reads: number;
  /** Running time of the last counted read, milliseconds. */
  readonly lastRunningMs: number;
}

/** One send; written before and settled after it. */
export interface IntentRecord {
  /** `<trade request id>/<n>`, n from 0. */
  readonly id: string;
  readonly key: string;
  readonly purpose: TradePurpose;
  readonly request: TradeRequest;
  /**
   * Time of the last quote before the send, in server milliseconds; in an hour that the server's clock repeats, the start of
   * that hour. No effect of the send has an earlier timestamp.
   */
  readonly serverTimeMsc: number;
  /** Identifier of the position that is closed or modified, 0 if none. */
  readonly positionId: number;
  /** Lots of that position before the send, 0 if none. */
  readonly positionVolume: number;
  /** When the position or order that is changed was opened, server milliseconds; missing if there is none. */
  readonly openedMsc?: number;
  /** Close by only. */
  readonly by?: OppositePosition;
  /** Changes only: the values before it. */
  readonly standing?: ChangeableValues;
  /** UTC milliseconds. */
  readonly createdAtMs: number;
  /** Running time when it was written, milliseconds, unique per intent; missing in intents of version 0.1.0. */
  readonly writtenAtRunningMs?: number;
  /** Written while another journal was in use, which was lost together with its claims of orders. */
  readonly ofLostJournal?: true;
  readonly outcome: IntentOutcome;
}

/** A send as passed to the journal, before it is written. */
export type NewIntent = Pick<
  IntentRecord,
  'purpose' | 'request' | 'serverTimeMsc' | 'positionId' | 'positionVolume' | 'openedMsc' | 'by' | 'standing'
>;

/** What identifies a request: its key, its caller and its parameters. */
export interface TradeIdentity {
  /** The client's idempotency key; null if there is none. */
  readonly clientOrderId: string | null;
  readonly requestId: string;
  /** The trace that it belongs to: 32 hexadecimal digits; missing in records of earlier versions. */
  readonly traceId?: string;
  /** Role of the key that it came with; missing in records of version 0.1.0. */
  readonly keyRole?: KeyRole | null;
  /** Login of the account that it is for; null while none is known, missing in records of version 0.2.0 and earlier. */
  readonly login?: number | null;
  readonly method: string;
  readonly path: string;
  /** Method and route template. */
  readonly route: string;
  readonly fingerprint: string;
}

/** One trade request of a client, under its idempotency key. */
export interface TradeRequestRecord extends TradeIdentity {
  readonly id: string;
  /** The client's key, or the one that the gateway generated. */
  readonly key: string;
  readonly status: StoredStatus;
  /** UTC milliseconds. */
  readonly createdAtMs: number;
  /** UTC milliseconds; null while unsettled. */
  readonly settledAtMs: number | null;
  /** Running time when it was settled, milliseconds; missing while unsettled, and in records of version 0.1.0. */
  readonly settledAtRunningMs?: number;
  readonly responseStatus: number | null;
  /** The exact text that was sent, so that a replay is identical to the byte. */
  readonly response: string | null;
}

type Answered = 'status' | 'createdAtMs' | 'settledAtMs' | 'responseStatus' | 'response';

/** The state of a request without an answer. */
export function unanswered(createdAtMs: number): Pick<TradeRequestRecord, Answered> {
  return { status: 'in_progress', createdAtMs, settledAtMs: null, responseStatus: null, response: null };
}

/** The journal's key of a request without a client's key. It is not ASCII, so no client can name it. */
export function keyOfNameless(id: string): string {
  return `§${id}`;
}

/** The id of the request that an intent belongs to. */
export function requestIdOf(intentId: string): string {
  return intentId.slice(0, intentId.lastIndexOf('/'));
}

/** The intent that an order ticket belongs to, so that no ticket is matched to two. */
export interface TicketClaim {
  readonly intentId: string;
  readonly clientOrderId: string | null;
  /** Magic number of an entry, which a broker may show as 0; absent in the claims of earlier versions. */
  readonly magic?: number;
}

/** Binding of a key after a refusal: other parameters are a conflict, the same ones are checked again. */
export interface RefusedKey {
  readonly fingerprint: string;
  /** Method and route template of the first use. */
  readonly route: string;
  /** First use, UTC milliseconds. */
  readonly createdAtMs: number;
  /** Running time of the last refusal, milliseconds. */
  readonly atRunningMs: number;
}
