import type { OrderAnswer } from '@libs/gateway-client';
import type { IntentRecord } from './records';
import { exitRetryMs, partOf, retryKeyOf, type Refusal, reasonOf, type Unfilled } from './exit-retry';
import type {
  Done,
  IntentEvent,
  IntentFacts,
  IntentLife,
  IntentStep,
  Notice,
  SeenEvent,
  Stage,
  IntentEffect,
} from './intent-life';
import { isClose } from './plan';
import {
  earlierRequest,
  freshForMs,
  heldRequest,
  newRequest,
  next as nextOfRequest,
  type Conclusion,
  type OpenRequest,
  type RequestEvent,
  type RequestFacts,
} from './request-lifecycle';

type TimeFacts = Pick<IntentFacts, 'nowMs' | 'monotonicMs' | 'openVolume'>;

/** Begins an intent: its request becomes durable, then it is sent. */
export function newIntent(record: IntentRecord, { monotonicMs, openVolume }: TimeFacts): IntentStep {
  return begun({ record, attempt: 0, wasAccepted: false }, monotonicMs, openVolume);
}

/**
 * Continues an intent whose request may have been sent by an earlier start. An entry must not be sent any more; the age of
 * an exit bounds its resends and retries.
 */
export function earlierIntent(record: IntentRecord, { nowMs, monotonicMs, openVolume }: TimeFacts): IntentStep {
  const ageMs = Math.max(0, nowMs - record.createdAtMs);
  const freshUntilMs = record.isEntry ? null : monotonicMs + freshForMs(record) - ageMs;
  const stage = asked(earlierRequest().request);
  // Its part may be closed and booked already.
  const volumeBefore = partOf(record) === null ? openVolume : null;
  const life: IntentLife = { record, attempt: 0, freshUntilMs, volumeBefore, wasAccepted: false, stage };
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
    case 'accepted':
      if (event.type === 'seen') return acceptedSeen(life, stage.conclusion, event, facts);
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

type Try = Pick<IntentLife, 'record' | 'attempt' | 'wasAccepted'>;

function begun({ record, attempt, wasAccepted }: Try, monotonicMs: number, volumeBefore: string | null): IntentStep {
  const freshUntilMs = monotonicMs + freshForMs(record);
  const life: IntentLife = { record, attempt, freshUntilMs, volumeBefore, wasAccepted, stage: { at: 'writing' } };
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
  if (conclusion.kind !== 'done') return refused(life, conclusion, true, facts);
  return isOnlyAccepted(life.record, conclusion.body) ? accepted(life, conclusion) : executed(life, conclusion);
}

function executed(life: IntentLife, conclusion: Done): IntentStep {
  const stage = { at: 'concluding', conclusion, retry: null } as const;
  return step({ ...life, stage }, { type: 'write done', body: conclusion.body });
}

/** It stays open on disk: if the daemon ends here, the next start reads the same answer under its key. */
function accepted(life: IntentLife, conclusion: Done): IntentStep {
  const order = conclusion.body.result?.order || null;
  return step({ ...life, wasAccepted: true, stage: { at: 'accepted', conclusion } }, { type: 'show', order });
}

function acceptedSeen(life: IntentLife, conclusion: Done, event: SeenEvent, facts: IntentFacts): IntentStep {
  if (isClosed(life, facts)) return executed(life, conclusion);
  // The next start of the daemon continues with it.
  if (facts.isStopping) return step(life, null);
  // What the books show proves nothing yet. Without its gateway they stay as they are.
  if (facts.hasGateway && (event.isRead === false || !facts.isSettled)) return accepted(life, conclusion);
  return refused(life, unfilled, mayRepeat(life.record, event.isHedging === true), facts);
}

function refused(life: IntentLife, refusal: Refusal, isRepeatable: boolean, facts: IntentFacts): IntentStep {
  const { record, attempt } = life;
  const mayRetry = isRepeatable && !record.isEntry && facts.isWanted && facts.hasGateway && isFreshAt(life, facts);
  const waitMs = mayRetry ? exitRetryMs(refusal, attempt) : null;
  const retry = waitMs === null ? null : { waitMs, record: made(record, retryKeyOf(record.key), facts) };
  const ended = refusedRecord(record, refusal, reasonOf(refusal));
  // The retry becomes durable together with the end of this try: a restart continues with it.
  const records = retry ? [ended, retry.record] : [ended];
  return step({ ...life, stage: { at: 'concluding', conclusion: refusal, retry } }, { type: 'write refusal', records });
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
  const again = { ...life, record: made(life.record, life.record.key, facts), attempt: life.attempt + 1 };
  return { ...begun(again, facts.monotonicMs, facts.openVolume), notices: [{ type: 'retried' }] };
}

/** Ends a retry that was not sent. */
function givenUp(life: IntentLife, refusal: Refusal): IntentStep {
  const record: IntentRecord = { ...life.record, state: 'absent', outcome: 'superseded or no longer needed' };
  return step({ ...life, stage: { at: 'giving up', refusal } }, { type: 'write refusal', records: [record] });
}

function rejected(life: IntentLife, refusal: Refusal, facts: IntentFacts): IntentStep {
  const ended = { ...life, stage: { at: 'ended' } } as const;
  if (isDoneMeanwhile(life, facts)) return step(ended, null, { type: 'done', order: null });
  const failedExit = facts.isWanted && isClose(life.record) ? life.record.ticket : null;
  return step(ended, null, { type: 'rejected', refusal, failedExit });
}

/** Only the operator, or the next start of the daemon, ends a request with an unexpected error. */
function broken(life: IntentLife, reason: string): IntentStep {
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

/** A close that the broker accepted, and of which the books show nothing. */
export const unfilled: Unfilled = {
  kind: 'unfilled',
  reason: 'the broker accepted the close, and no fill was seen',
};

/** Whether the broker has accepted a close (10008) and no fill of it was seen: it may still be rejected. */
export function isOnlyAccepted(record: IntentRecord, { state }: OrderAnswer): boolean {
  return isClose(record) && state === 'placed';
}

/** Whether a close that was accepted is over: its part is closed, or nothing of it is left to do. */
export function isClosed({ record, volumeBefore }: IntentLife, { isWanted, openVolume }: IntentFacts): boolean {
  return !isWanted || (partOf(record) !== null && openVolume !== volumeBefore);
}

/**
 * Whether an accepted close without a fill may be sent again. It may still fill. Then the next close of the whole position
 * finds no position under its ticket, but the next close of a part closes too much. On a netting account two closes that
 * both wait at an exchange reverse the position.
 */
function mayRepeat(record: IntentRecord, isHedging: boolean): boolean {
  return isHedging && partOf(record) === null;
}

/** Whether an intent that ends with a refusal was executed all the same: a try of it that was accepted has filled. */
function isDoneMeanwhile(life: IntentLife, facts: IntentFacts): boolean {
  return life.wasAccepted && isClosed(life, facts);
}

/** The record of a try that had no effect, with its outcome. */
function refusedRecord(record: IntentRecord, refusal: Refusal, reason: string): IntentRecord {
  // The broker did accept it.
  if (refusal.kind === 'unfilled') return { ...record, state: 'done', outcome: 'placed' };
  return { ...record, state: refusal.kind, outcome: reason };
}
