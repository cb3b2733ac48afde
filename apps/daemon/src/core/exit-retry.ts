import { Retcode } from '@libs/trade-constants';
import { Decimal } from 'decimal.js';
import type { Reject } from '@libs/strategy';
import type { IntentRecord } from './records';
import { isClose } from './plan';
import type { Conclusion } from './request-lifecycle';

/** The broker accepted a close, and the books show no fill of it. It may still fill. */
export interface Unfilled {
  readonly kind: 'unfilled';
  readonly reason: string;
}

/** A final outcome without effect, or an accepted close that has had none so far. */
export type Refusal = Exclude<Conclusion, { kind: 'done' }> | Unfilled;

/** Return codes after which the same exit may succeed a little later. */
const passing: readonly number[] = [
  Retcode.REQUOTE,
  Retcode.REJECT,
  Retcode.MARKET_CLOSED,
  Retcode.PRICE_CHANGED,
  Retcode.PRICE_OFF,
  Retcode.TOO_MANY_REQUESTS,
  Retcode.LOCKED,
  Retcode.FROZEN,
  // Trading by programs is off, in the terminal or at the server; an exit waits for a person to switch it on again.
  Retcode.SERVER_DISABLES_AT,
  Retcode.CLIENT_DISABLES_AT,
  // An accepted close is still at work: it fills, or the next try is possible when it has ended.
  Retcode.CLOSE_ORDER_EXIST,
];
/** Delays before the retries of an exit; after the last retry the exit has failed. */
const waitsMs = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000, 60_000, 60_000] as const;

/**
 * Milliseconds to wait before a refused exit is sent again. The retry gets a key of its own, because the refused try is
 * proven to have had no effect, or cannot have one together with the next. Null if a retry is pointless or the retries are used up.
 * @param attempt retries so far
 */
export function exitRetryMs(refusal: Refusal, attempt: number): number | null {
  return mayPass(refusal) ? (waitsMs[attempt] ?? null) : null;
}

/**
 * The key of the retry of a refused request. It is derived from the refused key, so that the next start of the daemon finds
 * the earlier retries by their keys and sends none of them twice.
 */
export function retryKeyOf(key: string): string {
  const [, first = key, tries = '0'] = /^(.*)~(\d+)$/.exec(key) ?? [];
  return `${first}~${Number(tries) + 1}`;
}

/**
 * Whether an exit can still have its intended effect: its ticket is open, with at least the lots of a partial close,
 * and the strategy has not asked for something newer.
 * @param openVolume lots that are open under its ticket; null if the ticket is not open
 */
export function isExitWanted(record: IntentRecord, openVolume: Decimal | null, isLatest: boolean): boolean {
  if (openVolume === null || !isLatest) return false;
  const volume = partOf(record);
  return volume === null || openVolume.gte(volume);
}

/** Lots of a partial close; null for any other request. */
export function partOf(record: IntentRecord): number | null {
  const body: unknown = record.call.body;
  if (!isClose(record) || typeof body !== 'object' || body === null || !('position' in body)) return null;
  const { position } = body;
  const isPart = typeof position === 'object' && position !== null && 'volume' in position;
  return isPart && typeof position.volume === 'number' ? position.volume : null;
}

function mayPass(refusal: Refusal): boolean {
  if (refusal.kind === 'absent' || refusal.kind === 'unfilled') return true;
  if (refusal.kind === 'blocked') return false;
  return refusal.retryable || passing.includes(refusal.terminalError?.retcode ?? 0);
}

/** What a strategy receives for an intent that was denied before anything was sent. */
export function denial(intentId: string, reason: string): Reject {
  return { intentId, kind: 'denied', reason, retcode: null };
}

/** What a strategy receives for a request that had no effect. */
export function rejection(intentId: string, refusal: Refusal): Reject {
  const retcode = 'reason' in refusal ? null : (refusal.terminalError?.retcode ?? null);
  return { intentId, kind: refusal.kind === 'blocked' ? 'blocked' : 'rejected', reason: reasonOf(refusal), retcode };
}

/** Why a request had no effect. */
export function reasonOf(refusal: Refusal): string {
  return 'reason' in refusal ? refusal.reason : `${refusal.errorType}: ${refusal.error}`;
}
