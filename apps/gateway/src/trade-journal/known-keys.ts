import type { Clock } from '@libs/clock';
import { step, storedLife, withVoid, type RequestLife, type Step } from '@libs/request-life';
import type { TradeIdentity, TradeRequestRecord } from './journal-records';
import type { JournalStore } from './journal.store';
import type { KeyVoids } from './key-voids';
import type { LiveRequests } from './live-requests';
import type { LostKeys } from './lost-keys';
import type { RefusedKeys } from './refused-keys';
import { shortFingerprint, unknownFingerprint, type RememberedKey } from './remembered-key';
import { isForgotten } from './retention-times';
import type { RunningTime } from './running-time';

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

/** The decision on a request under a key. */
export interface Asked {
  readonly result: Step;
  /** The record of the key. */
  readonly known: KnownKey | undefined;
  /** First use of the key. */
  readonly first: FirstUse;
}

/** Identifies a repeated request; the fingerprint may be cut to the part that is kept. */
type KeptIdentity = Pick<RememberedKey, 'fingerprint' | 'route'>;

/** All keys of the journal: in memory, on disk, void, and bound by a refusal. */
export class KnownKeys {
  constructor(
    private readonly live: LiveRequests,
    private readonly store: JournalStore,
    private readonly voids: KeyVoids,
    private readonly refused: RefusedKeys,
    private readonly running: RunningTime,
    private readonly responseTtlMs: number,
    private readonly lost: LostKeys,
    private readonly clock: Clock,
  ) {}

  /** The record of a key. A request in memory never expires, because it is not on disk yet. */
  lookUp(key: string): KnownKey | undefined {
    const nowMs = this.running.nowMs();
    const memory = this.store.keys.memory(key);
    const entry = memory && !isForgotten(memory.endedAtRunningMs, nowMs) ? memory : undefined;
    if (entry?.status === 'void') return { kind: 'remembered', entry };
    const attempt = this.live.get(key);
    if (attempt) return { kind: 'request', record: attempt.shown };
    const record = this.store.request(key);
    const endedMs = record?.settledAtRunningMs;
    if (record && (endedMs === undefined || nowMs < endedMs + this.responseTtlMs)) return { kind: 'request', record };
    return entry ? { kind: 'remembered', entry } : this.takeUp(key);
  }

  /** Whether making a key void requires a write; false if it is void already or has an intent. */
  needsVoid(key: string): boolean {
    const result = step(this.lifeOf(key, this.lookUp(key)), { kind: 'void' });
    return result.kind === 'moved' && result.effects.includes('write_void');
  }

  /** Binds the key of a refused request to its parameters, unless the key has a record. @param nowMs UTC */
  bind(identity: TradeIdentity, nowMs: number): void {
    const key = identity.clientOrderId;
    if (key !== null && !this.lookUp(key)) this.refused.bind(key, identity, nowMs);
  }

  /** Decides on a request under a key. @param isFenced its fence does not allow it to trade */
  asked(key: string, identity: TradeIdentity, isFenced: boolean): Asked {
    if (this.lookUp(key)) this.adapt(key, identity);
    const known = this.lookUp(key);
    const bound = known ? undefined : this.refused.find(key);
    const first = known?.kind === 'request' ? known.record : (known?.entry ?? bound);
    const sameRequest = bound
      ? bound.fingerprint === shortFingerprint(identity.fingerprint)
      : !first || isSameRequest(first, identity);
    const result = step(this.lifeOf(key, known), { kind: 'reserve', sameRequest, isFenced });
    return { result, known, first: first ?? { route: null, createdAtMs: null } };
  }

  /** The request of a key that only the broker's books show. It is written with its outcome; until then, the books have it. */
  private takeUp(key: string): KnownKey | undefined {
    const attempt = this.lost.find(key, this.clock.nowMs());
    if (!attempt) return undefined;
    this.live.put(attempt);
    return { kind: 'request', record: attempt.shown };
  }

  /** Closes of all kinds leave the same trace: until its outcome is known, such a request is the one that is asked for. */
  private adapt(key: string, { method, path, route }: TradeIdentity): void {
    const attempt = this.live.get(key);
    if (attempt?.record.status !== 'unknown' || attempt.record.fingerprint !== unknownFingerprint) return;
    if (closingRoutes.includes(attempt.record.route) && closingRoutes.includes(route)) {
      attempt.record = { ...attempt.record, method, path, route };
    }
  }

  /** State of the key's request for the request-life table. */
  private lifeOf(key: string, known: KnownKey | undefined): RequestLife {
    const life = this.live.get(key)?.life ?? storedLifeOf(known);
    return withVoid(life, this.voids.markOf(key));
  }
}

const closingRoutes = ['POST /close_position', 'POST /position_close_partial', 'POST /close_all_positions'];

/** A request that is not in memory is settled, or only its summary remains. */
function storedLifeOf(known: KnownKey | undefined): RequestLife | undefined {
  if (!known) return undefined;
  const status = known.kind === 'request' ? known.record.status : known.entry.status;
  return status === 'void' ? undefined : storedLife(status, {});
}

/**
 * Without a fingerprint, any request of the same route counts as the same, so that it is not sent. This applies to keys
 * from version 0.1.0 and from the audit log.
 */
function isSameRequest({ fingerprint, route }: KeptIdentity, asked: TradeIdentity): boolean {
  if (fingerprint === unknownFingerprint) return route === null || route === asked.route;
  return fingerprint === asked.fingerprint || fingerprint === shortFingerprint(asked.fingerprint);
}
