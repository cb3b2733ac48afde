import type { OrderAnswer } from '@libs/gateway-client';
import type { Refusal } from './exit-retry';
import type { IntentRecord } from './records';
import type { Conclusion, OpenRequest, RequestEffect, RequestEvent } from './request-lifecycle';

/** One intent of a strategy, from its first request to its end. A refused exit is sent again under a new key. Plain data. */
export interface IntentLife {
  /** Its latest request. */
  readonly record: IntentRecord;
  /** Retries so far. */
  readonly attempt: number;
  /** Monotonic time until which the request may be sent, in milliseconds; null: it must not be sent any more. */
  readonly freshUntilMs: number | null;
  /** Lots that were open under its ticket when the request was made; null if none were, or if that is not known. */
  readonly volumeBefore: string | null;
  /** Whether the broker accepted an earlier try of this close: it may fill at any time. */
  readonly wasAccepted: boolean;
  readonly stage: Stage;
}

export type Stage =
  /** The request becomes durable before it is sent. */
  | { readonly at: 'writing' }
  /** The outcome of the request is found out. `problem`: why that is impossible; null unless it is held. */
  | { readonly at: 'request'; readonly request: OpenRequest; readonly problem: string | null }
  /** It is a close that the broker accepted, and the books are to show whether it fills. */
  | { readonly at: 'accepted'; readonly conclusion: Done }
  /** The outcome becomes durable, together with the retry that is to follow. */
  | { readonly at: 'concluding'; readonly conclusion: Done | Refusal; readonly retry: Retry | null }
  /** It is done, and the books are to show it. */
  | { readonly at: 'showing'; readonly order: number | null }
  /** It was refused, and the account is read. `retryMs`: the wait before its retry; null: it is not sent again. */
  | { readonly at: 'reading'; readonly refusal: Refusal; readonly retryMs: number | null }
  /** Its retry waits. */
  | { readonly at: 'waiting'; readonly refusal: Refusal }
  /** It becomes durable that its retry is not sent. */
  | { readonly at: 'giving up'; readonly refusal: Refusal }
  | { readonly at: 'ended' };

export type Done = Extract<Conclusion, { kind: 'done' }>;

export interface Retry {
  readonly record: IntentRecord;
  readonly waitMs: number;
}

export type IntentEvent =
  | RequestEvent
  /** A write ended. `order`: the order that an executed request became, if known. */
  | { readonly type: 'written'; readonly isDurable: boolean; readonly order: number | null }
  | SeenEvent
  /** An effect failed unexpectedly. */
  | { readonly type: 'broken'; readonly reason: string };

/** The account was read, or that was tried. */
export interface SeenEvent {
  readonly type: 'seen';
  /** Whether each order opens a position of its own there; absent where it does not matter, as {@link isRead}. */
  readonly isHedging?: boolean;
  /** Whether the last read of it succeeded. */
  readonly isRead?: boolean;
}

/** The one thing that is to be done next. It ends with an event. */
export type IntentEffect =
  | Exclude<RequestEffect, { type: 'conclude' }>
  | { readonly type: 'write request'; readonly record: IntentRecord }
  | { readonly type: 'write done'; readonly body: OrderAnswer }
  | { readonly type: 'write refusal'; readonly records: readonly IntentRecord[] }
  /** Read the account until the books show what the request did. */
  | { readonly type: 'show'; readonly order: number | null }
  | { readonly type: 'read account' }
  | { readonly type: 'wait to retry'; readonly ms: number };

/** What is reported to the strategy, the operator or the log. */
export type Notice =
  /** It was not sent. */
  | { readonly type: 'denied'; readonly reason: string }
  | { readonly type: 'unknown'; readonly reason: string }
  | { readonly type: 'held'; readonly reason: string }
  | { readonly type: 'done'; readonly order: number | null }
  /** A try was refused; its retry may follow. */
  | { readonly type: 'refused'; readonly key: string; readonly refusal: Refusal }
  | { readonly type: 'retrying'; readonly waitMs: number }
  | { readonly type: 'retried' }
  /** It has ended without effect. `failedExit`: the position that is still to be closed; null if there is none. */
  | { readonly type: 'rejected'; readonly refusal: Refusal; readonly failedExit: number | null };

export interface IntentFacts {
  readonly nowMs: number;
  readonly monotonicMs: number;
  /** Whether the strategy still needs it. */
  readonly isWanted: boolean;
  readonly isStopping: boolean;
  readonly hasGateway: boolean;
  /** Id of the gateway's trade journal now; null if unknown. */
  readonly journalId: string | null;
  /** Lots that are open under its ticket; null if none are. */
  readonly openVolume: string | null;
  /** Whether the last account snapshot agrees with the booked deals of its ticket. */
  readonly isSettled: boolean;
}

export interface IntentStep {
  readonly life: IntentLife;
  /** Null: it has ended, waits for the next start, or did not await the event. */
  readonly effect: IntentEffect | null;
  readonly notices: readonly Notice[];
}
