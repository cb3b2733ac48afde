import type { Change, Moment } from './core-event';
import type { RefusedKey, TradeIdentity } from './journal-records';
import { hashOfKey, shortFingerprint } from './known-key';
import type { TradeState } from './trade-state';

/** More refusals than this within IDEMPOTENCY_TTL_SECONDS free the oldest keys early. */
const mostKeys = 100_000;

/**
 * Keys whose request was refused before its send. They are kept in memory and written in the background, so no refusal
 * waits for the disk. A crash may lose a binding, which is safe because nothing was sent under the key.
 */
type Refusals = Pick<TradeState, 'refused' | 'unwrittenRefusals'>;

/** The binding of a key; undefined if it is free. @param ttlMs how long a key stays bound, in running time */
export function bindingOf(
  { refused }: Refusals,
  key: string,
  runningMs: number,
  ttlMs: number,
): RefusedKey | undefined {
  const bound = refused.get(idOf(key));
  return bound && runningMs < bound.atRunningMs + ttlMs ? bound : undefined;
}

/** Binds a key to the refused parameters, unless it is bound to others. @returns whether there is something to write */
export function bind(
  state: Refusals,
  key: string,
  { fingerprint, route }: TradeIdentity,
  at: Moment,
  ttlMs: number,
): boolean {
  const bound = bindingOf(state, key, at.runningMs, ttlMs);
  const short = shortFingerprint(fingerprint);
  if (bound && bound.fingerprint !== short) return false;
  const id = idOf(key);
  const binding = {
    fingerprint: short,
    route: bound?.route ?? route,
    createdAtMs: bound?.createdAtMs ?? at.utcMs,
    atRunningMs: at.runningMs,
  };
  state.refused.delete(id);
  state.refused.set(id, binding);
  state.unwrittenRefusals.set(id, binding);
  freeOldest(state, at.runningMs - ttlMs);
  return true;
}

/** The changes that write the bindings, which then count as being written. */
export function takeChanges({ unwrittenRefusals }: Refusals): Change[] {
  const changes = [...unwrittenRefusals].map(([hash, binding]): Change =>
    binding ? { put: 'refusal', hash, binding } : { remove: 'refusal', id: hash },
  );
  unwrittenRefusals.clear();
  return changes;
}

function freeOldest({ refused, unwrittenRefusals }: Refusals, endedMs: number): void {
  for (const [id, { atRunningMs }] of refused) {
    if (refused.size <= mostKeys && atRunningMs > endedMs) return;
    refused.delete(id);
    unwrittenRefusals.set(id, null);
  }
}

function idOf(key: string): string {
  return hashOfKey(key).toString('hex');
}
