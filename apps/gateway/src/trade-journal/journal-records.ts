import type { LastError, OrderSendResult, TradeRequest } from '@libs/terminal-client';
import type { TradeRequestStatus } from './trade-request-status';

/** What a send is for; decides how its outcome is read and where its trace is looked for. */
export type TradePurpose =
  'open' | 'place_pending' | 'close' | 'close_partial' | 'modify_levels' | 'modify_order' | 'cancel';

/** What became of one intent. */
export type IntentOutcome =
  | { readonly kind: 'pending' }
  /** Proven never sent: by us before the send, or by the link. */
  | { readonly kind: 'not_sent'; readonly reason: string; readonly lastError: LastError | null }
  | { readonly kind: 'done'; readonly result: OrderSendResult; readonly source: 'answer' | 'late_answer' | 'lookup' }
  /** Proven that nothing was done: by the server's retcode, or by the terminal's refusal of the parameters. */
  | { readonly kind: 'rejected'; readonly result: OrderSendResult | null; readonly lastError: LastError | null }
  | {
      readonly kind: 'unknown';
      readonly reason: string;
      readonly result: OrderSendResult | null;
      readonly lastError: LastError | null;
      /** Looked up, and what would prove it is gone: it is not looked up any more. A late answer still settles it. */
      readonly undecidable?: true;
    }
  /** Looked up, and no trace of it. */
  | { readonly kind: 'absent' };

export type SettledOutcome = Exclude<IntentOutcome, { readonly kind: 'pending' }>;

/** What a change of a position or pending order sets; 0 is none. Prices, and server seconds. */
export interface ChangeableValues {
  readonly sl: number;
  readonly tp: number;
  readonly price?: number;
  readonly stoplimit?: number;
  readonly expiration?: number;
}

/** What the look-ups of one intent have shown so far. */
export interface LookUpEvidence {
  readonly nothing?: CountedReads;
  readonly contested?: CountedReads;
  readonly undecidable?: CountedReads;
  /** Why the outcome cannot be decided, once a read showed that. */
  readonly reason?: string;
}

interface CountedReads {
  readonly reads: number;
  /** Running time of the last one counted, milliseconds. */
  readonly lastRunningMs: number;
}

/** One send: written before it, settled after it. */
export interface IntentRecord {
  /** `<trade request id>/<n>`, n from 0. */
  readonly id: string;
  readonly key: string;
  readonly purpose: TradePurpose;
  readonly request: TradeRequest;
  /** Server milliseconds before the send: the last quote seen. Whatever this send causes is stamped no earlier. */
  readonly serverTimeMsc: number;
  /** Identifier of the position that is closed or modified, 0 for none. */
  readonly positionId: number;
  /** Lots of that position before the send, 0 for none. */
  readonly positionVolume: number;
  /** Of a change: what stood before it. */
  readonly standing?: ChangeableValues;
  /** UTC milliseconds. */
  readonly createdAtMs: number;
  /** Running time when it was written, milliseconds, its own for each intent; missing in intents of version 0.1.0. */
  readonly writtenAtRunningMs?: number;
  readonly outcome: IntentOutcome;
}

/** One trade request of a client, under its idempotency key. */
export interface TradeRequestRecord {
  readonly id: string;
  readonly key: string;
  /** The key as the client gave it; null when the gateway made one up. */
  readonly clientOrderId: string | null;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** Method and route template. */
  readonly route: string;
  readonly fingerprint: string;
  readonly status: TradeRequestStatus;
  /** UTC milliseconds. */
  readonly createdAtMs: number;
  /** UTC milliseconds; null while unsettled. */
  readonly settledAtMs: number | null;
  /** Running time when it was settled, milliseconds; missing while unsettled, and in records of version 0.1.0. */
  readonly settledAtRunningMs?: number;
  readonly responseStatus: number | null;
  /** The very text that was sent, so that a replay is the same to the byte. */
  readonly response: string | null;
}

/** Which intent an order ticket belongs to, so that no ticket is ever taken for the trace of two. */
export interface TicketClaim {
  readonly intentId: string;
  readonly clientOrderId: string | null;
}

/** What a key stays bound to after a refusal: other parameters are a conflict, the same are judged anew. */
export interface RefusedKey {
  readonly fingerprint: string;
  /** Method and route template of the first use. */
  readonly route: string;
  /** First use, UTC milliseconds. */
  readonly createdAtMs: number;
  /** Running time of the last refusal, milliseconds. */
  readonly atRunningMs: number;
}
