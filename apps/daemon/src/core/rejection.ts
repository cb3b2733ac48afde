import type { Reject } from '@libs/strategy';
import type { Refusal } from './exit-retry';

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
