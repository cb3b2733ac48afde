import type { OrderAnswer } from '@libs/gateway-client';
import type { IntentRecord } from './records';
import { exitRetryMs, retryKeyOf, type Refusal } from './exit-retry';
import { isClose } from './plan';
import { reasonOf } from './rejection';
import {
  earlierRequest,
  freshForMs,
  heldRequest,
  newRequest,
  next as nextOfRequest,
  type Conclusion,
  type OpenRequest,
  type RequestEffect,
  type RequestEvent,
  type RequestFacts,
} from './request-lifecycle';

/** One intent of a strategy, from its first request to its end. A refused exit is sent again under a new key. Plain data. */
export interface IntentLife {
  /** Its latest request. */
  readonly record: IntentRecord;
  /** Retries so far. */
  readonly attempt: number;
  /** Monotonic time until which the request may be sent, in milliseconds; null: it must not be sent any more. */
  readonly freshUntilMs: number | null;
  /** Lots that were open under its ticket when the request was made; null if none were. */
  readonly volumeBefore: string | null;
  readonly stage: Stage;
}

type Stage =
  /** The request becomes durable before it is sent. */
  | { readonly at: 'writing' }
  /** The outcome of the request is found out. `problem`: why that is impossible; null unless it is held. */
  | { readonly at: 'request'; readonly request: OpenRequest; readonly problem: string | null }
  /** The outcome becomes durable, together with the retry that is to follow. */
  | { readonly at: 'concluding'; readonly conclusion: Conclusion; readonly retry: Retry | null }
  /** It is done, and the books are to show it. */
  | { readonly at: 'showing'; readonly order: number | null }
  /** It was refused, and the account is read. `retryMs`: the wait before its retry; null: it is not sent again. */
  | { readonly at: 'reading'; readonly refusal: Refusal; readonly retryMs: number | null }
  /** Its retry waits. */
  | { readonly at: 'waiting'; readonly refusal: Refusal }
  /** It becomes durable that its retry is not sent. */
  | { readonly at: 'giving up'; readonly refusal: Refusal }
  | { readonly at: 'ended' };

interface Retry {
  readonly record: IntentRecord;
  readonly waitMs: number;
}

export type IntentEvent =
  | RequestEvent
  /** A write ended. `order`: the order that an executed request became, if known. */
  | { readonly type: 'written'; readonly isDurable: boolean; readonly order: number | null }
  /** The account was read. */
  | { readonly type: 'seen' }
  /** An effect failed unexpectedly. */
  | { readonly type: 'broken'; readonly reason: string };

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
}

export interface IntentStep {
  readonly life: IntentLife;
  /** Null: it has ended, waits for the next start, or did not await the event. */
  readonly effect: IntentEffect | null;
  readonly notices: readonly Notice[];
}

type TimeFacts = Pick<IntentFacts, 'nowMs' | 'monotonicMs' | 'openVolume'>;

/** Begins an intent: its request becomes durable, then it is sent. */
export function newIntent(record: IntentRecord, { monotonicMs, openVolume }: TimeFacts): IntentStep {
  return begun(record, 0, monotonicMs, openVolume);
}

/**
 * Continues an intent whose request may have been sent by an earlier start. An entry must not be sent any more; the age of
 * an exit bounds its resends and retries.
 */
export function earlierIntent(record: IntentRecord, { nowMs, monotonicMs, openVolume }: TimeFacts): IntentStep {
  const ageMs = Math.max(0, nowMs - record.createdAtMs);
  const freshUntilMs = record.isEntry ? null : monotonicMs + freshForMs(record) - ageMs;
  const { request } = earlierRequest();
  const life: IntentLife = { record, attempt: 0, freshUntilMs, volumeBefore: openVolume, stage: asked(request) };
  return { life, effect: { type: 'check journal' }, notices: [] };
}

/**
 * The next state of an intent, and what to do. At most one effect is outstanding at any time; an event that it does not
 * await changes nothing.
 */
export function next(life: IntentLife, event: IntentEvent, facts: IntentFacts): IntentStep {
  const { stage } = life;
  if (event.type === 'broken') return broken(life, event.reason);
  switch (stage.at) {
    case 'writing':
      if (event.type === 'written') return recorded(life, event.isDurable);
      break;
    case 'request':
      if (event.type !== 'written' && event.type !== 'seen') return requestStep(life, stage, event, facts);
      break;
    case 'concluding':
      if (event.type === 'written') return concluded(life, stage, event.order);
      break;
    case 'showing':
      if (event.type === 'seen') return step({ ...life, stage: { at: 'ended' } }, null);
      break;
    case 'reading':
      if (event.type === 'seen') return seen(life, stage, facts);
      break;
    case 'waiting':
      // The next start of the daemon continues with the retry, which is durable.
      if (event.type === 'timer' && !facts.isStopping) return due(life, stage.refusal, facts);
      break;
    case 'giving up':
      if (event.type === 'written') return rejected(life, stage.refusal, facts);
      break;
    case 'ended':
      break;
  }
  return step(life, null);
}

/** The facts for the request of an intent. They are computed when they are read: few events need all. */
class FactsOfRequest implements RequestFacts {
  constructor(
    private readonly life: IntentLife,
    private readonly facts: IntentFacts,
  ) {}

  get journalId(): string | null {
    return this.life.record.journalId ?? null;
  }

  get isFresh(): boolean {
    return isFreshAt(this.life, this.facts);
  }

  get isWanted(): boolean {
    return this.facts.isWanted;
  }

  get isStopping(): boolean {
    return this.facts.isStopping;
  }
}

/** Whether its outcome cannot be resolved. */
export function isHeld({ stage }: IntentLife): boolean {
  return stage.at === 'request' && stage.request.isHeld;
}

function begun(record: IntentRecord, attempt: number, monotonicMs: number, volumeBefore: string | null): IntentStep {
  const freshUntilMs = monotonicMs + freshForMs(record);
  const life: IntentLife = { record, attempt, freshUntilMs, volumeBefore, stage: { at: 'writing' } };
  return step(life, { type: 'write request', record });
}

function recorded(life: IntentLife, isDurable: boolean): IntentStep {
  // An exit passes: a position that cannot be closed is worse than one whose close is not on disk.
  if (!isDurable && life.record.isEntry) {
    return step({ ...life, stage: { at: 'ended' } }, null, { type: 'denied', reason: 'the state cannot be written' });
  }
  return step({ ...life, stage: asked(newRequest().request) }, { type: 'send' });
}

function requestStep(
  life: IntentLife,
  { request: before, problem }: Extract<Stage, { at: 'request' }>,
  event: RequestEvent,
  facts: IntentFacts,
): IntentStep {
  const { request, effect } = nextOfRequest(before, event, new FactsOfRequest(life, facts));
  if (effect?.type === 'conclude') return outcome(life, effect.conclusion, facts);
  const reason = effect?.type === 'hold' ? effect.reason : problem;
  const after = { ...life, stage: { at: 'request', request, problem: request.isHeld ? reason : null } } as const;
  if (effect?.type === 'hold') return step(after, effect, { type: 'held', reason: effect.reason });
  const isLost = event.type === 'answered' && event.outcome.kind === 'unknown' && !before.wasSent;
  return isLost ? step(after, effect, { type: 'unknown', reason: event.outcome.reason }) : step(after, effect);
}

function outcome(life: IntentLife, conclusion: Conclusion, facts: IntentFacts): IntentStep {
  const { record, attempt } = life;
  if (conclusion.kind === 'done') {
    const stage = { at: 'concluding', conclusion, retry: null } as const;
    return step({ ...life, stage }, { type: 'write done', body: conclusion.body });
  }
  const mayRetry = !record.isEntry && facts.isWanted && facts.hasGateway && isFreshAt(life, facts);
  const waitMs = mayRetry ? exitRetryMs(conclusion, attempt) : null;
  const retry = waitMs === null ? null : { waitMs, record: made(record, retryKeyOf(record.key), facts) };
  const refused: IntentRecord = { ...record, state: conclusion.kind, outcome: reasonOf(conclusion) };
  // The retry becomes durable together with the end of this try: a restart continues with it.
  const records = retry ? [refused, retry.record] : [refused];
  return step({ ...life, stage: { at: 'concluding', conclusion, retry } }, { type: 'write refusal', records });
}

function concluded(
  life: IntentLife,
  { conclusion, retry }: Extract<Stage, { at: 'concluding' }>,
  order: number | null,
): IntentStep {
  if (conclusion.kind === 'done') {
    return step({ ...life, stage: { at: 'showing', order } }, { type: 'show', order }, { type: 'done', order });
  }
  const stage = { at: 'reading', refusal: conclusion, retryMs: retry?.waitMs ?? null } as const;
  const notice: Notice = { type: 'refused', key: life.record.key, refusal: conclusion };
  // A refusal may mean that the books lag behind, as for a position that is already closed.
  return step({ ...life, record: retry?.record ?? life.record, stage }, { type: 'read account' }, notice);
}

function seen(
  life: IntentLife,
  { refusal, retryMs }: Extract<Stage, { at: 'reading' }>,
  facts: IntentFacts,
): IntentStep {
  if (retryMs === null) return rejected(life, refusal, facts);
  if (!facts.isWanted) return givenUp(life, refusal);
  const notice = { type: 'retrying', waitMs: retryMs } as const;
  return step({ ...life, stage: { at: 'waiting', refusal } }, { type: 'wait to retry', ms: retryMs }, notice);
}

function due(life: IntentLife, refusal: Refusal, facts: IntentFacts): IntentStep {
  if (!facts.isWanted) return givenUp(life, refusal);
  const record = made(life.record, life.record.key, facts);
  return { ...begun(record, life.attempt + 1, facts.monotonicMs, facts.openVolume), notices: [{ type: 'retried' }] };
}

/** Ends a retry that was not sent. */
function givenUp(life: IntentLife, refusal: Refusal): IntentStep {
  const record: IntentRecord = { ...life.record, state: 'absent', outcome: 'superseded or no longer needed' };
  return step({ ...life, stage: { at: 'giving up', refusal } }, { type: 'write refusal', records: [record] });
}

function rejected(life: IntentLife, refusal: Refusal, { isWanted }: IntentFacts): IntentStep {
  const failedExit = isWanted && isClose(life.record) ? life.record.ticket : null;
  return step({ ...life, stage: { at: 'ended' } }, null, { type: 'rejected', refusal, failedExit });
}

/** Only the operator, or the next start of the daemon, ends a request with an unexpected error. */
function broken(life: IntentLife, reason: string): IntentStep {
  if (life.stage.at === 'ended') return step(life, null);
  const problem = `${reason}: the next start of the daemon retries`;
  const stage = { at: 'request', request: heldRequest, problem } as const;
  return step({ ...life, stage }, null, { type: 'held', reason: problem });
}

function made(record: IntentRecord, key: string, { nowMs, journalId }: IntentFacts): IntentRecord {
  return { ...record, key, createdAtMs: nowMs, state: 'open', outcome: null, journalId };
}

function isFreshAt({ freshUntilMs }: IntentLife, { monotonicMs }: IntentFacts): boolean {
  return freshUntilMs !== null && monotonicMs <= freshUntilMs;
}

function asked(request: OpenRequest): Stage {
  return { at: 'request', request, problem: null };
}

function step(life: IntentLife, effect: IntentEffect | null, ...notices: readonly Notice[]): IntentStep {
  return { life, effect, notices };
}
