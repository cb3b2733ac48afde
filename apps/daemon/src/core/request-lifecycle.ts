import { backoffMs } from '@libs/clock';
import {
  tradeOutcome,
  type JournalReport,
  type OrderAnswer,
  type RefusedOutcome,
  type TradeOutcome,
  type TradeRequestReport,
  type UnknownOutcome,
} from '@libs/gateway-client';

/** The final outcome of a trade request. */
export type Conclusion =
  | Exclude<TradeOutcome<OrderAnswer>, UnknownOutcome>
  /** It had no effect and will have none; the reason states how that is known. */
  | { readonly kind: 'absent'; readonly reason: string };

/** The event that a request awaits. `proof`: the journal's id after the key was made void. */
type Awaits = 'answer' | 'journal' | 'report' | 'void' | 'proof' | 'timer' | 'nothing';

/** One trade request under one key, from its first send to its conclusion. */
export interface OpenRequest {
  readonly awaits: Awaits;
  /** Whether an earlier send was not answered: it may still arrive at the gateway. */
  readonly wasSent: boolean;
  /**
   * Whether its outcome cannot be resolved. It stays open until the operator settles it, or until the gateway has the
   * journal that it was sent to and reports an outcome. Until then nothing is sent and no key is made void.
   */
  readonly isHeld: boolean;
  /** Waits so far. */
  readonly waits: number;
  /** Refusal of a resend. It proves nothing about the earlier sends until the key is void. */
  readonly refusal: RefusedOutcome | null;
}

export type RequestEvent =
  /** A send was answered, or failed. */
  | { readonly type: 'answered'; readonly outcome: TradeOutcome<OrderAnswer> }
  /** The state of the gateway's journal was read. */
  | { readonly type: 'journal'; readonly journal: Pick<JournalReport, 'id' | 'state'> }
  /** The key was read; null: the gateway has no such key. */
  | { readonly type: 'reported'; readonly report: KeyReport | null }
  /** The gateway was asked to make the key void. */
  | { readonly type: 'voided'; readonly report: KeyReport }
  /** A read, or the request to make the key void, had no answer. */
  | { readonly type: 'failed' }
  /** The gateway is not configured, so nothing can be asked. */
  | { readonly type: 'not configured'; readonly gateway: string }
  | { readonly type: 'timer' }
  /** The daemon began to shut down. */
  | { readonly type: 'stopping' }
  /** The operator stated the outcome. */
  | { readonly type: 'settled'; readonly conclusion: Conclusion };

/** What the gateway's journal has under a key. */
export type KeyReport = Pick<TradeRequestReport, 'status' | 'response_status' | 'response'>;

/** What the daemon is to do next. */
export type RequestEffect =
  /** Send the request under its key. */
  | { readonly type: 'send' }
  | { readonly type: 'check journal' }
  | { readonly type: 'read key' }
  | { readonly type: 'void key' }
  | { readonly type: 'wait'; readonly ms: number }
  /** The outcome is certain. */
  | { readonly type: 'conclude'; readonly conclusion: Conclusion }
  /** The outcome cannot be resolved. The gateway is asked again after a wait. */
  | { readonly type: 'hold'; readonly reason: string; readonly ms: number }
  /** The outcome still cannot be resolved. */
  | { readonly type: 'stay held'; readonly ms: number };

/** What a decision depends on beside the events. */
export interface RequestFacts {
  /** Id of the journal of the gateway that it was sent to; null if unknown, as in records of version 0.1.0. */
  readonly journalId: string | null;
  /** Whether it is young enough to be sent. */
  readonly isFresh: boolean;
  /** Whether the strategy still needs it. */
  readonly isWanted: boolean;
  readonly isStopping: boolean;
}

export interface Step {
  readonly request: OpenRequest;
  /** Null: the request did not await the event. */
  readonly effect: RequestEffect | null;
}

/** How long an entry may be resent: after that, its price and its reason are stale. */
const entryFreshMs = 10_000;
/** How long an exit may be resent, and retried with a new key. */
const exitFreshMs = 3_600_000;
const backoff = { firstMs: 200, longestMs: 10_000 } as const;
/** How often the gateway of a held request is asked again. */
const heldRecheckMs = 10_000;

/** How long after its creation a request may be sent, in milliseconds. */
export function freshForMs({ isEntry }: { readonly isEntry: boolean }): number {
  return isEntry ? entryFreshMs : exitFreshMs;
}

/** Begins a request that has not been sent. */
export function newRequest(): Step {
  return after({ awaits: 'answer', wasSent: false, isHeld: false, waits: 0, refusal: null }, { type: 'send' });
}

/** Continues a request that may have been sent before. */
export function earlierRequest(): Step {
  return round({ awaits: 'nothing', wasSent: true, isHeld: false, waits: 0, refusal: null });
}

/** A request that is held for another reason than its events: only the operator, or the next start, ends it. */
export const heldRequest: OpenRequest = { awaits: 'nothing', wasSent: true, isHeld: true, waits: 0, refusal: null };

/**
 * The next state of a request, and what to do. One effect is outstanding at any time, the one whose event the request
 * awaits; any other event changes nothing, except that the operator may settle a held request at any time.
 *
 * A request is resent only while the gateway does not know its key. "Not sent" is concluded only from the gateway's
 * journal: it confirms that nothing was executed, or that the key is void.
 */
export function next(request: OpenRequest, event: RequestEvent, facts: RequestFacts): Step {
  if (event.type === 'settled') {
    return request.isHeld ? conclude(request, event.conclusion) : { request, effect: null };
  }
  if (event.type === 'not configured' && !['timer', 'nothing'].includes(request.awaits)) {
    return hold(request, `gateway ${event.gateway} is not configured: configure it again, or settle the request`);
  }
  switch (request.awaits) {
    case 'answer':
      if (event.type === 'answered') return answered(request, event.outcome, facts);
      break;
    case 'journal':
      if (event.type === 'journal') return journalSeen(request, event.journal, facts, readKey);
      if (event.type === 'failed') return wait(request, facts);
      break;
    case 'report':
      if (event.type === 'reported') return reported(request, event.report, facts);
      if (event.type === 'failed') return wait(request, facts);
      break;
    case 'void':
      if (event.type === 'voided') return voided(request, event.report, facts);
      if (event.type === 'failed') return wait(request, facts);
      break;
    case 'proof':
      if (event.type === 'journal') return journalSeen(request, event.journal, facts, concludeNotSent);
      if (event.type === 'failed') return wait(request, facts);
      break;
    case 'timer':
      if (event.type === 'timer') return round(request);
      // Little time is left during a shutdown: it is not for requests that have no outcome.
      if (event.type === 'stopping' && !request.isHeld) return round(request);
      break;
    case 'nothing':
      break;
  }
  return { request, effect: null };
}

function answered(request: OpenRequest, outcome: TradeOutcome<OrderAnswer>, facts: RequestFacts): Step {
  if (outcome.kind === 'unknown') {
    return request.wasSent ? wait(request, facts) : round({ ...request, wasSent: true });
  }
  if (outcome.kind === 'done') return conclude(request, outcome);
  if (outcome.errorType === 'key_void') return concludeNotSent({ ...request, refusal: null });
  // Other refusals come from checks before the journal is read: an earlier send may still be executed.
  if (!request.wasSent || outcome.errorType === 'broker_rejected') return conclude(request, outcome);
  return voidKey({ ...request, refusal: outcome });
}

function journalSeen(
  request: OpenRequest,
  { id, state }: Pick<JournalReport, 'id' | 'state'>,
  facts: RequestFacts,
  whenSame: (request: OpenRequest) => Step,
): Step {
  if (state === 'lost') return holdAdvised(request, 'the trade journal of the gateway was lost');
  if (id === facts.journalId && id !== null) return whenSame(request);
  // Which journal a request of version 0.1.0 was sent to is unknown, so one that is held stays held.
  if (facts.journalId === null && !request.isHeld) return whenSame(request);
  if (id === null || facts.journalId === null) return wait(request, facts);
  const reason = `the gateway has another trade journal (${id}) than when the request was sent (${facts.journalId})`;
  return holdAdvised(request, reason);
}

function reported(request: OpenRequest, report: KeyReport | null, facts: RequestFacts): Step {
  if (report !== null) return known(request, report, facts);
  // The gateway has the right journal again, and the key is not in that journal: continue as usual.
  if (request.isHeld) return round({ ...request, isHeld: false, waits: 0 });
  return facts.isFresh && facts.isWanted ? send(request) : voidKey(request);
}

function voided(request: OpenRequest, report: KeyReport, facts: RequestFacts): Step {
  // A void proves something only in the journal that the request was sent to.
  if (report.status === 'void') return after({ ...request, awaits: 'proof' }, { type: 'check journal' });
  return known(request, report, facts);
}

function known(request: OpenRequest, report: KeyReport, facts: RequestFacts): Step {
  switch (report.status) {
    case 'completed':
    case 'recovered': {
      const outcome = outcomeOf(report);
      return outcome.kind === 'unknown' ? wait(request, facts) : conclude(request, outcome);
    }
    case 'absent':
      return conclude(request, {
        kind: 'absent',
        reason: 'the gateway confirmed that the request never reached the broker',
      });
    case 'void':
      return concludeNotSent(request);
    case 'accepted':
      return holdAdvised(request, 'the gateway cannot determine its outcome, and an operator accepted that');
    case 'unknown':
      return isUndecidable(report)
        ? holdAdvised(request, 'the gateway cannot determine its outcome')
        : wait(request, facts);
    default:
      return wait(request, facts);
  }
}

function outcomeOf({ response_status, response }: KeyReport): TradeOutcome<OrderAnswer> {
  const answer = { status: response_status ?? 0, body: response, replayed: true, retryAfterMs: null };
  return tradeOutcome<OrderAnswer>({ kind: 'answered', ...answer });
}

function isUndecidable({ response }: KeyReport): boolean {
  const details = memberOf(response, 'details');
  return memberOf(details, 'undecidable') === true;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function round(request: OpenRequest): Step {
  return after({ ...request, awaits: 'journal' }, { type: 'check journal' });
}

function readKey(request: OpenRequest): Step {
  return after({ ...request, awaits: 'report' }, { type: 'read key' });
}

function send(request: OpenRequest): Step {
  return after({ ...request, awaits: 'answer' }, { type: 'send' });
}

function voidKey(request: OpenRequest): Step {
  return after({ ...request, awaits: 'void' }, { type: 'void key' });
}

function wait(request: OpenRequest, { isStopping }: RequestFacts): Step {
  if (request.isHeld) return after({ ...request, awaits: 'timer' }, { type: 'stay held', ms: heldRecheckMs });
  // Little time is left during a shutdown.
  const ms = backoffMs(isStopping ? 0 : request.waits, backoff);
  return after({ ...request, awaits: 'timer', waits: request.waits + 1 }, { type: 'wait', ms });
}

function concludeNotSent(request: OpenRequest): Step {
  const reason = 'the request was not sent: the gateway made its key void';
  return conclude(request, request.refusal ?? { kind: 'absent', reason });
}

function conclude(request: OpenRequest, conclusion: Conclusion): Step {
  return after({ ...request, awaits: 'nothing', isHeld: false }, { type: 'conclude', conclusion });
}

function holdAdvised(request: OpenRequest, reason: string): Step {
  return hold(request, `${reason}: look the key up in the gateway's audit log, then settle the request`);
}

function hold(request: OpenRequest, reason: string): Step {
  const effect = { type: request.isHeld ? 'stay held' : 'hold', reason, ms: heldRecheckMs } as const;
  return after({ ...request, awaits: 'timer', isHeld: true }, effect);
}

function after(request: OpenRequest, effect: RequestEffect): Step {
  return { request, effect };
}
