import {
  isHandled,
  isOpenStatus,
  storedLife,
  type RequestLife,
  type RequestState,
  type SendState,
} from '@libs/request-life';
import type { FenceClaim, StoredFence } from './fence';
import {
  unanswered,
  type IntentOutcome,
  type IntentRecord,
  type RefusedKey,
  type SettledOutcome,
  type TicketClaim,
  type TradeRequestRecord,
} from './journal-records';

/** The row of a request among its rows; the others are those of its intents, by their ids. */
export const requestRow = '';

/** A request in memory, from its reservation until it is settled and on disk. */
export interface LiveRequest {
  record: TradeRequestRecord;
  state: RequestState;
  /** In the order in which they were written. */
  readonly intents: Map<string, IntentRecord>;
  /** Intents that are not in `intents`: being written, or not written and therefore not sent. */
  withoutRecord: Readonly<Record<string, SendState>>;
  /** How many sends have begun. */
  sends: number;
  /** The orders that its sends made, by intent. */
  readonly claims: Map<string, TicketAndClaim>;
  /** When its intents were settled, in running time. */
  readonly settledAtMs: Map<string, number>;
  /**
   * Rows whose newest content is not known to be on disk, with the writes in flight that have it. A row without one could not be
   * written, and is written later.
   */
  readonly rows: Map<string, Set<number>>;
  /** The writes in flight that concern it. */
  readonly writes: Set<number>;
  /** Settled intents that its next write shows. */
  unshown: readonly IntentRecord[];
  /** False if a send went out before it was on any disk; a crash would lose its key. */
  isRemembered: boolean;
}

export interface TicketAndClaim {
  readonly ticket: number;
  readonly claim: TicketClaim;
}

/** A claim that is not known to be on disk. */
export interface FreshClaim {
  readonly claim: TicketClaim;
  /** False while a crash could still undo it. */
  isShown: boolean;
}

/** What a write in flight has. */
export type Write =
  | { readonly kind: 'intent'; readonly key: string; readonly intent: IntentRecord }
  /** `settled`: intents whose outcome is shown once it has ended. `hasEvents`: the audit log is to have its events in any case. */
  | {
      readonly kind: 'rows';
      readonly key: string;
      readonly settled: readonly IntentRecord[];
      readonly hasEvents: boolean;
    }
  | { readonly kind: 'release'; readonly key: string }
  | { readonly kind: 'void'; readonly key: string }
  /** `isRaise`: sends that it concerns wait for its end, and it is seen only once it is on disk. */
  | { readonly kind: 'fences'; readonly fences: ReadonlyMap<string, StoredFence>; readonly isRaise: boolean }
  | { readonly kind: 'refusals' | 'retention' };

/** An order that counts against the entry limits: by its volume until the broker's lists show its effect, and by the minute. */
export interface CountedEntry {
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  /** Lots of the order. */
  readonly volume: number;
  /** Lots that it may add to the open volume; 0 for an order that only reduces a netting position. */
  readonly addedVolume: number;
  /** Lots of the position that others may still take before this order opens instead of reducing it. */
  readonly spareVolume: number;
  /** Whether a close has taken more than that since the order was admitted: it must not be sent as it was. */
  readonly isOvertaken: boolean;
  /** When nothing more is sent for it, in running time; null while it is in flight. */
  readonly endedAtMs: number | null;
  /** What became of its sends, by intent. */
  readonly sends: Map<string, EntrySend>;
  /** Whether it holds capacity: the lists may not show its effect yet. */
  readonly isHeld: boolean;
}

/** What became of a send of an order that counts. */
export interface EntrySend {
  readonly kind: IntentOutcome['kind'];
  /** The order that it made; null if it made none. */
  readonly ticket: number | null;
}

/** A send that was executed, or may have been. */
export interface LateSend {
  readonly intent: IntentRecord;
  /** When that was known, in running time. */
  readonly atMs: number;
}

/** What the fences know of a send. */
export interface FencedSend {
  readonly claim: FenceClaim | null;
  /** Those that it has or may have. */
  readonly magics: readonly number[];
}

/** All that the gateway has in memory of its trade requests. Only the core changes it. */
export interface TradeState {
  readonly version: 2;
  /** Requests that are running, unresolved or not yet on disk, by key. */
  readonly requests: Map<string, LiveRequest>;
  /** Keys whose void is being written, with its write. */
  readonly voiding: Map<string, number>;
  /** Keys whose request was refused before its send, by hash, the oldest refusal first. */
  readonly refused: Map<string, RefusedKey>;
  /** Bindings to be written; null: to be removed. */
  readonly unwrittenRefusals: Map<string, RefusedKey | null>;
  /** The write of bindings in flight; null if there is none. */
  refusalWrite: number | null;
  /** Claims that are not known to be on disk, by ticket. */
  readonly claims: Map<number, FreshClaim>;
  /** Claims that only the audit log has. */
  audited: ReadonlyMap<number, TicketClaim>;
  /** Grows with every change of the claims. */
  claimsRevision: number;
  /** Sends that were acknowledged without a ticket, the oldest first. */
  readonly unnamed: Map<string, IntentRecord>;
  /** Orders that count against the entry limits, by the id of their request. */
  readonly entries: Map<string, CountedEntry>;
  /** Sends that a list may be behind, by the ticket of their position or order. */
  readonly late: Map<number, readonly LateSend[]>;
  /** By the name of the strategy. */
  readonly fences: Map<string, StoredFence>;
  /** The raise that is being written; null if there is none. */
  raising: { readonly write: number; readonly fences: ReadonlyMap<string, StoredFence> } | null;
  /** Sends from their last check until their outcome is on record, by intent. */
  readonly sending: Map<string, FencedSend>;
  readonly writes: Map<number, Write>;
  /** The number of the last write. */
  lastWrite: number;
  /** Running time of the last intent. No two intents share one. */
  lastStampMs: number;
}

/** Of a gateway that has not read its journal. */
export function emptyState(): TradeState {
  return {
    version: 2,
    requests: new Map(),
    voiding: new Map(),
    refused: new Map(),
    unwrittenRefusals: new Map(),
    refusalWrite: null,
    claims: new Map(),
    audited: new Map(),
    claimsRevision: 0,
    unnamed: new Map(),
    entries: new Map(),
    late: new Map(),
    fences: new Map(),
    raising: null,
    sending: new Map(),
    writes: new Map(),
    lastWrite: 0,
    lastStampMs: 0,
  };
}

/** A request that begins. */
export function begunRequest(record: TradeRequestRecord, state: RequestState): LiveRequest {
  return {
    record,
    state,
    intents: new Map(),
    withoutRecord: {},
    sends: 0,
    claims: new Map(),
    settledAtMs: new Map(),
    rows: new Map(),
    writes: new Set(),
    unshown: [],
    isRemembered: true,
  };
}

/** A request of an earlier process, or of the broker's books. */
export function storedRequest(record: TradeRequestRecord, intents: readonly IntentRecord[]): LiveRequest {
  const sends = Object.fromEntries(intents.map(({ id, outcome }) => [id, sendStateOf(outcome)]));
  const request = begunRequest(record, storedLife(record.status, sends).state);
  for (const intent of intents) request.intents.set(intent.id, intent);
  request.sends = intents.length;
  return request;
}

/** Its state for the request-life table. */
export function lifeOf({ state, intents, withoutRecord }: LiveRequest): RequestLife {
  const written = [...intents.values()].map(({ id, outcome }) => [id, sendStateOf(outcome)] as const);
  return { state, sends: { ...Object.fromEntries(written), ...withoutRecord } };
}

export function sendStateOf(outcome: SettledOutcome): Exclude<SendState, 'writing' | 'unwritten' | 'pending'>;
export function sendStateOf(outcome: IntentOutcome): SendState;
export function sendStateOf(outcome: IntentOutcome): SendState {
  return outcome.kind === 'unknown' && outcome.undecidable ? 'undecidable' : outcome.kind;
}

/** Whether a handler of this process runs it. */
export function isRunning({ state }: LiveRequest): boolean {
  return isHandled(state);
}

/** Whether a write of it failed, and no later one has what that lacks. */
export function isUnwritten({ rows }: LiveRequest): boolean {
  return [...rows.values()].some((writes) => writes.size === 0);
}

/** The record as clients see it: with its answer once that and all outcomes are on disk, or kept because the disk fails. */
export function shownRecord(request: LiveRequest): TradeRequestRecord {
  const { record } = request;
  if (!isRunning(request) || record.status === 'in_progress') return record;
  const { settledAtRunningMs: _, ...asked } = record;
  return { ...asked, ...unanswered(record.createdAtMs) };
}

/** Whether nothing of it is left to be done. */
export function hasEnded(request: LiveRequest): boolean {
  const isSettled = !isRunning(request) && !isOpenStatus(request.record.status);
  return isSettled && request.rows.size === 0 && request.writes.size === 0;
}
