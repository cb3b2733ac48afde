import type { Decimal } from 'decimal.js';
import type { IntentRecord, OwnedTicket } from './records';
import { isExitWanted, reasonOf } from './exit-retry';
import type { IntentEvent, IntentFacts, IntentLife, IntentStep } from './intent-life';
import { isHeld, next } from './intent-lifecycle';
import { isClose } from './plan';

/** Requests of one strategy whose outcome is uncertain, those that will be retried, and exits that failed. Plain data. */
export interface InFlightRequests {
  readonly version: 1;
  /** In the order in which they were added. */
  readonly requests: readonly IntentLife[];
  /** The latest intent by ticket and kind of request; it supersedes older ones. */
  readonly latest: ByPurpose<string>;
  /** Closes that failed permanently, by ticket and kind of request. The records of the tickets have them as well. */
  readonly failedExits: ByPurpose<FailedExit>;
  /** Closes that were executed since the account of their gateway was read, absent without one. */
  readonly unreadCloses?: readonly ExecutedClose[];
}

/** A close that was executed; the books may not show it yet. */
interface ExecutedClose {
  readonly broker: string;
  readonly ticket: number;
}

/** Values by ticket and kind of request. Pairs, because V8 is slow with objects that get new member names all the time. */
type ByPurpose<Value> = readonly (readonly [purpose: string, value: Value])[];

interface FailedExit {
  readonly broker: string;
  readonly ticket: number;
  readonly reason: string;
  /** When it failed, in milliseconds since the epoch. */
  readonly atMs: number;
}

export const noRequests: InFlightRequests = { version: 1, requests: [], latest: [], failedExits: [] };

/**
 * The requests at a start: of what an earlier start closed, it is known that the account was not read since; what it could not
 * close is still a problem.
 */
export function requestsAtStart(tickets: readonly OwnedTicket[]): InFlightRequests {
  const failedExits = tickets.flatMap(({ broker, ticket, failedCloses = [] }) =>
    failedCloses.map(({ purpose, ...failed }) => [purpose, { broker, ticket, ...failed }] as const),
  );
  const unreadCloses = tickets
    .filter(({ closeUnread }) => closeUnread === true)
    .map(({ broker, ticket }) => ({ broker, ticket }));
  const requests = { ...noRequests, failedExits };
  return unreadCloses.length === 0 ? requests : { ...requests, unreadCloses };
}

/**
 * Adds a request that is sent, or that an earlier start left open; it supersedes older requests for its ticket. An exit of
 * an earlier lease supersedes none: it is never sent.
 * @param isSuperseded whether a newer request, which may have ended, supersedes this one
 */
export function added(all: InFlightRequests, life: IntentLife, isSuperseded = false): InFlightRequests {
  const { record } = life;
  const supersedes = !record.isEntry && record.isOfEarlierLease !== true && !isSuperseded;
  const latest = supersedes ? withValue(all.latest, purposeOf(record), record.intentId) : all.latest;
  return changed(all, put(all.requests, record.key, life), latest);
}

/**
 * Delivers an event to the request under a key. The step is null if it is no longer in flight.
 * @returns the requests after it, and what to do
 */
export function handle(
  all: InFlightRequests,
  key: string,
  event: IntentEvent,
  facts: IntentFacts,
): { readonly all: InFlightRequests; readonly step: IntentStep | null } {
  const life = requestOf(all, key);
  if (life === null) return { all, step: null };
  const step = next(life, event, facts);
  const isOver = step.life.stage.at === 'ended';
  const after = isOver ? ended(all, life) : changed(all, put(all.requests, key, step.life), all.latest);
  return { all: withUnreadClose(withFailedExit(after, life, step, facts.nowMs), life, event), step };
}

function ended(all: InFlightRequests, { record }: IntentLife): InFlightRequests {
  const requests = all.requests.filter((other) => other.record.key !== record.key);
  const latest = isLatest(all, record) ? without(all.latest, purposeOf(record)) : all.latest;
  return changed(all, requests, latest);
}

/** Member by member: V8 makes a new hidden class for each spread of a spread. */
function changed(
  { failedExits, unreadCloses }: InFlightRequests,
  requests: readonly IntentLife[],
  latest: InFlightRequests['latest'],
): InFlightRequests {
  if (unreadCloses === undefined) return { version: 1, requests, latest, failedExits };
  return { version: 1, requests, latest, failedExits, unreadCloses };
}

/** The requests after the account of a gateway was read. */
export function afterRead(all: InFlightRequests, broker: string): InFlightRequests {
  const { unreadCloses, ...others } = all;
  if (unreadCloses === undefined) return all;
  const left = unreadCloses.filter((close) => close.broker !== broker);
  return left.length === 0 ? others : { ...others, unreadCloses: left };
}

/** A close that was executed is not repeated before the account was read: the books do not show it. */
function withUnreadClose(all: InFlightRequests, { record, stage }: IntentLife, event: IntentEvent): InFlightRequests {
  const { broker, ticket } = record;
  const isUnread = stage.at === 'showing' && event.type === 'seen' && event.isRead === false;
  if (!isUnread || !isClose(record) || ticket === null) return all;
  return { ...all, unreadCloses: [...(all.unreadCloses ?? []), { broker, ticket }] };
}

/** A close that failed stays a problem until a close of its ticket is done. */
function withFailedExit(
  all: InFlightRequests,
  { record, stage }: IntentLife,
  { notices }: IntentStep,
  atMs: number,
): InFlightRequests {
  if (stage.at === 'showing') {
    return all.failedExits.length === 0 ? all : { ...all, failedExits: without(all.failedExits, purposeOf(record)) };
  }
  const rejected = notices.find(({ type }) => type === 'rejected');
  if (rejected?.type !== 'rejected' || rejected.failedExit === null) return all;
  const exit = { broker: record.broker, ticket: rejected.failedExit, reason: reasonOf(rejected.refusal), atMs };
  return { ...all, failedExits: withValue(all.failedExits, purposeOf(record), exit) };
}

/** The ticket with its closes that failed; null if its record has the same. */
export function withFailedCloses({ failedExits }: InFlightRequests, owned: OwnedTicket): OwnedTicket | null {
  const failed = failedExits.flatMap(([purpose, { broker, ticket, reason, atMs }]) =>
    broker === owned.broker && ticket === owned.ticket ? [{ purpose, reason, atMs }] : [],
  );
  const { failedCloses: before = [], ...rest } = owned;
  const isSame = failed.length === before.length && failed.every(({ atMs }, at) => atMs === before[at]?.atMs);
  if (isSame) return null;
  return failed.length === 0 ? rest : { ...rest, failedCloses: failed };
}

/**
 * Whether the strategy still needs a request.
 * @param openVolume lots that are open under its ticket; null if the ticket is not open
 */
export function isWanted(
  all: InFlightRequests,
  record: IntentRecord,
  of: { readonly isHalted: boolean; readonly isStopping: boolean; readonly openVolume: Decimal | null },
): boolean {
  if (record.isEntry) return !of.isHalted && !of.isStopping;
  if (record.isOfEarlierLease === true) return false;
  return isExitWanted(record, of.openVolume, isLatest(all, record));
}

/** Whether no newer request supersedes this one. */
export function isLatest({ latest }: InFlightRequests, record: IntentRecord): boolean {
  if (latest.length === 0) return false;
  const purpose = purposeOf(record);
  return latest.some(([other, intentId]) => other === purpose && intentId === record.intentId);
}

/** The request under a key; null if it is not in flight. */
export function requestOf({ requests }: InFlightRequests, key: string): IntentLife | null {
  return requests.find(({ record }) => record.key === key) ?? null;
}

/** Whether a change of an order was sent, and its outcome is not on record: the broker may have replaced the order by another. */
export function mayBeReplaced({ requests }: InFlightRequests, broker: string, ticket: number): boolean {
  return requests.some(
    ({ record, stage }) =>
      record.call.method === 'PUT' &&
      record.broker === broker &&
      record.ticket === ticket &&
      (stage.at === 'request' || (stage.at === 'concluding' && stage.conclusion.kind === 'done')),
  );
}

/** Number of requests whose outcome is being resolved: not those whose retry waits, nor those that are held. */
export function countUnknown({ requests }: InFlightRequests): number {
  return requests.filter((life) => !['reading', 'waiting', 'giving up'].includes(life.stage.at) && !isHeld(life))
    .length;
}

/** Gateways of the requests, each once. */
export function brokersOf({ requests }: InFlightRequests): readonly string[] {
  return [...new Set(requests.map(({ record }) => record.broker))];
}

/** The first problem that the operator has to resolve; null if there is none. */
export function problemOf(
  { requests, failedExits }: InFlightRequests,
  isOpen: (broker: string, ticket: number) => boolean,
): string | null {
  for (const [, { broker, ticket, reason }] of failedExits) {
    if (isOpen(broker, ticket)) return `position ${ticket} could not be closed: ${reason}`;
  }
  for (const { record, stage } of requests) {
    if (stage.at !== 'request' || stage.problem === null) continue;
    return `the outcome of request ${record.key} on ${record.broker} cannot be resolved: ${stage.problem}`;
  }
  return null;
}

/** Key of the ticket and kind of a request. */
export function purposeOf({ broker, ticket, call }: IntentRecord): string {
  return `${broker}:${ticket ?? 0} ${call.method} ${call.path}`;
}

function put(requests: readonly IntentLife[], key: string, life: IntentLife): readonly IntentLife[] {
  const index = requests.findIndex(({ record }) => record.key === key);
  return index === -1 ? [...requests, life] : requests.with(index, life);
}

function withValue<Value>(values: ByPurpose<Value>, purpose: string, value: Value): ByPurpose<Value> {
  const index = values.findIndex(([other]) => other === purpose);
  return index === -1 ? [...values, [purpose, value]] : values.with(index, [purpose, value]);
}

function without<Value>(values: ByPurpose<Value>, purpose: string): ByPurpose<Value> {
  return values.filter(([other]) => other !== purpose);
}

/**
 * Keys of exits that an earlier start left open after a newer exit for the same purpose. Without a restart they would not be sent
 * either. The newer exit may have ended, and may have been sent under an earlier lease: this does not make it older. Newer is by
 * the wall clock.
 */
export function supersededExits(open: readonly IntentRecord[], all: readonly IntentRecord[]): string[] {
  const newest = new Map<string, IntentRecord>();
  for (const record of all) {
    if (record.isEntry) continue;
    const purpose = purposeOf(record);
    if (record.createdAtMs > (newest.get(purpose)?.createdAtMs ?? -Infinity)) newest.set(purpose, record);
  }
  return open.filter((record) => isOlder(record, newest.get(purposeOf(record)))).map(({ key }) => key);
}

/** A retry has the intent of the request that it repeats. */
function isOlder(record: IntentRecord, newest: IntentRecord | undefined): boolean {
  if (record.isEntry || newest === undefined) return false;
  return newest.intentId !== record.intentId && newest.createdAtMs > record.createdAtMs;
}
