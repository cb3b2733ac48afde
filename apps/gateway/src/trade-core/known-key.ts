import { createHash } from 'node:crypto';
import { storedLife, type RequestLife } from '@libs/request-life';
import type { IntentRecord, TradeIdentity, TradeRequestRecord } from './journal-records';
import { lifeOf, shownRecord, type TradeState } from './trade-state';

/** What the disk has of a key. */
export interface StoredKey {
  readonly record: TradeRequestRecord | null;
  readonly memory: RememberedKey | null;
}

/** First use of a key. */
export interface FirstUse {
  /** Method and route template; null if no longer known. */
  readonly route: string | null;
  /** UTC milliseconds; null if no longer known. */
  readonly createdAtMs: number | null;
}

/** The record of a key: its request, or the summary that remains after its response expired. */
export type KnownKey =
  | { readonly kind: 'request'; readonly record: TradeRequestRecord }
  | { readonly kind: 'remembered'; readonly entry: RememberedKey };

/** Login of the account that a request is for; null if it is not known, as for requests of version 0.2.0 and earlier. */
export function accountOf(known: KnownKey): number | null {
  return (known.kind === 'request' ? known.record.login : known.entry.login) ?? null;
}

/** Identifies a repeated request; the fingerprint may be cut to the part that is kept. */
type KeptIdentity = Pick<RememberedKey, 'fingerprint' | 'route'>;

/** The record of a key. A request in memory never expires, because it is not on disk yet. */
export function knownKey(
  { requests }: Pick<TradeState, 'requests'>,
  key: string,
  { record, memory }: StoredKey,
  runningMs: number,
  responseTtlMs: number,
): KnownKey | undefined {
  const entry = memory && !isForgotten(memory.endedAtRunningMs, runningMs) ? memory : null;
  if (entry?.status === 'void') return { kind: 'remembered', entry };
  const live = requests.get(key);
  if (live) return { kind: 'request', record: shownRecord(live) };
  const endedMs = record?.settledAtRunningMs;
  if (record && (endedMs === undefined || runningMs < endedMs + responseTtlMs)) return { kind: 'request', record };
  return entry ? { kind: 'remembered', entry } : undefined;
}

/** The key's state for the request-life table. A request that is not in memory is settled, or only its summary remains. */
export function lifeOfKey(
  { requests, voiding }: Pick<TradeState, 'requests' | 'voiding'>,
  key: string,
  known: KnownKey | undefined,
): RequestLife {
  const live = requests.get(key);
  if (live) return lifeOf(live);
  if (!known) return { state: voiding.has(key) ? 'voiding' : 'free', sends: {} };
  const status = known.kind === 'request' ? known.record.status : known.entry.status;
  return status === 'void' ? { state: 'void', sends: {} } : storedLife(status, {});
}

/**
 * Without a fingerprint, any request of the same route counts as the same, so that it is not sent. This applies to keys
 * from version 0.1.0 and from the audit log.
 */
export function isSameRequest({ fingerprint, route }: KeptIdentity, asked: TradeIdentity): boolean {
  if (fingerprint === unknownFingerprint) return route === null || route === asked.route;
  return fingerprint === asked.fingerprint || fingerprint === shortFingerprint(asked.fingerprint);
}

/**
 * Final statuses, by their number in the journal; append only, never reorder. `void`: never sent, and never will be.
 */
const rememberedStatuses = ['completed', 'recovered', 'absent', 'void', 'accepted'] as const;

/** The summary of a key that remains after its answer expired. */
export interface RememberedKey {
  readonly status: (typeof rememberedStatuses)[number];
  /** Method and route template of its first use; null for a route of another version. */
  readonly route: string | null;
  /** HTTP status of the original answer. */
  readonly responseStatus: number;
  /** Order or position; null if there was none, or more than one. */
  readonly ticket: number | null;
  /** The first 16 hexadecimal digits of the request's fingerprint; {@link unknownFingerprint} if unknown. */
  readonly fingerprint: string;
  /** Login of the account that it was for; null if unknown. */
  readonly login: number | null;
  /** First use, UTC milliseconds, in whole seconds; null if unknown. */
  readonly createdAtMs: number | null;
  /** Running time of its end, milliseconds, rounded up to the minute. */
  readonly endedAtRunningMs: number;
}

/** Routes, by their number in the journal; append only, never reorder, at most 15. */
const routes = [
  'POST /order',
  'PUT /orders/:ticket',
  'DELETE /orders/:ticket',
  'POST /modify_sl_tp',
  'POST /close_position',
  'POST /position_close_partial',
  'POST /close_all_positions',
  'PUT /trade_requests/:key/void',
  'POST /order_send',
] as const;

/** Fingerprint of a key that was migrated from version 0.1.0 by its ticket alone. */
export const unknownFingerprint = '0'.repeat(16);

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
const noTicket = 0;
const length = 28;

/** A key in the journal's table of keys: the first 16 bytes of its SHA-256. */
export function hashOfKey(key: string): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, 16);
}

/** Retention after the end of an entry, in milliseconds of running time. */
export const retentionMs = {
  /** For /reconcile, which looks back 31 days. */
  intent: 35 * dayMs,
  /** Used keys, and the key of an order ticket (`client_order_id` of rows). */
  key: 100 * dayMs,
} as const;

/** True once a key has expired; from then on it counts as unused. */
export function isForgotten(endedAtRunningMs: number, runningMs: number): boolean {
  return runningMs > endedAtRunningMs + retentionMs.key;
}

/** The part of a fingerprint that is kept. */
export function shortFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, 16).padEnd(16, '0');
}

/** Accounts have numbers in the journal: 1 to this, and 0 for one that is not known. */
export const mostAccounts = 15;
const routesByAccount = 16;

/**
 * 28 bytes: status, route and account, HTTP status (2), ticket (8), fingerprint (8), first use in seconds (4), end in minutes
 * (4). The account is in the upper half of a byte: version 0.2.0 reads such an entry as one of an unknown route.
 * @param account the journal's number for its login
 */
export function encodeRememberedKey(entry: Omit<RememberedKey, 'login'>, account: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt8(rememberedStatuses.indexOf(entry.status), 0);
  bytes.writeUInt8(1 + routes.findIndex((route) => route === entry.route) + routesByAccount * account, 1);
  bytes.writeUInt16LE(entry.responseStatus, 2);
  bytes.writeDoubleLE(entry.ticket ?? noTicket, 4);
  bytes.write(entry.fingerprint, 12, 8, 'hex');
  bytes.writeUInt32LE(clamped(Math.floor((entry.createdAtMs ?? 0) / 1_000)), 20);
  bytes.writeUInt32LE(clamped(Math.ceil(entry.endedAtRunningMs / minuteMs)), 24);
  return bytes;
}

/**
 * @param loginOf the login of an account by its number in the journal
 * @throws if the bytes are not an entry
 */
export function decodeRememberedKey(bytes: Buffer, loginOf: (account: number) => number | null): RememberedKey {
  const status = rememberedStatuses[bytes.readUInt8(0)];
  if (status === undefined || bytes.length !== length) throw new Error('the table of keys has an invalid entry');
  return {
    status,
    route: routes[(bytes.readUInt8(1) % routesByAccount) - 1] ?? null,
    responseStatus: bytes.readUInt16LE(2),
    ticket: bytes.readDoubleLE(4) || null,
    fingerprint: bytes.toString('hex', 12, 20),
    login: loginOf(Math.floor(bytes.readUInt8(1) / routesByAccount)),
    createdAtMs: bytes.readUInt32LE(20) * 1_000 || null,
    endedAtRunningMs: bytes.readUInt32LE(24) * minuteMs,
  };
}

/** Summary of a settled request. */
export function rememberedOf(
  record: TradeRequestRecord,
  intents: readonly IntentRecord[],
  endedAtRunningMs: number,
): RememberedKey {
  const { status } = record;
  if (status === 'in_progress' || status === 'unknown') throw new Error(`request ${record.id} is not settled`);
  const done = intents.filter(({ outcome }) => outcome.kind === 'done');
  return {
    status,
    route: record.route,
    responseStatus: record.responseStatus ?? 0,
    ticket: done.length === 1 ? ticketOf(done[0]) : null,
    fingerprint: shortFingerprint(record.fingerprint),
    login: record.login ?? null,
    createdAtMs: record.createdAtMs,
    endedAtRunningMs,
  };
}

function ticketOf(intent: IntentRecord | undefined): number | null {
  if (intent?.outcome.kind !== 'done') return null;
  return intent.outcome.result.order || intent.request.order || intent.request.position || null;
}

function clamped(value: number): number {
  return Math.min(Math.max(0, value), 0xffff_ffff);
}
