import { storedLife, type RequestLife } from '@libs/request-life';
import type { TradeIdentity, TradeRequestRecord } from './journal-records';
import { shortFingerprint, unknownFingerprint, type RememberedKey } from './remembered-key';
import { isForgotten } from './retention-times';
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
