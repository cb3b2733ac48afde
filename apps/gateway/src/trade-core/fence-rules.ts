import type { FenceClaim, Losses, StoredFence, WantedFence } from './fence';

/** More than the leases that were taken between a backup and its restore. */
const lossMargin = 1_000_000;

/** Whether the fence was raised since the journal was last lost or restored. */
export function isHeld(fence: StoredFence, losses: Losses): boolean {
  return fence.losses !== losses.count;
}

/**
 * The token that a raise must exceed, or that of the fence. After a loss it is above every token that was issued before
 * the loss, so that only a lease that was taken since can have a higher one.
 */
export function tokenToExceed(fence: StoredFence, losses: Losses): number {
  return isHeld(fence, losses) ? Math.max(fence.token + lossMargin, losses.lastAtMs) : fence.token;
}

/** Why a request must not be sent. */
export type FenceProblem =
  /** A higher token was raised: another holder has the strategy. */
  | { readonly kind: 'lower'; readonly stored: number }
  /** The token was not raised. */
  | { readonly kind: 'not_raised'; readonly stored: number | null }
  /** The journal was lost or restored since the fence was raised. */
  | { readonly kind: 'held'; readonly stored: number }
  /** The magic number belongs to another fence, or to a fence and the request names none. */
  | {
      readonly kind: 'magic';
      readonly magic: number;
      readonly owner: string;
      /** `possible`: an entry with this magic number may have opened what the request changes. */
      readonly certainty: 'certain' | 'possible';
    };

/** The problem of a request with the fence that it names; null if it may be sent. */
export function problemOf(claim: FenceClaim, fence: StoredFence | undefined, losses: Losses): FenceProblem | null {
  if (!fence) return { kind: 'not_raised', stored: null };
  if (claim.token < fence.token) return { kind: 'lower', stored: fence.token };
  if (isHeld(fence, losses)) return { kind: 'held', stored: tokenToExceed(fence, losses) };
  return claim.token > fence.token ? { kind: 'not_raised', stored: fence.token } : null;
}

/** What a PUT does to a fence. */
export type Raise =
  | { readonly kind: 'raise'; readonly fence: StoredFence }
  | { readonly kind: 'same' }
  /** The stored token is higher. `seen` is written first: the fence of a name that a lost journal may have had. */
  | { readonly kind: 'conflict'; readonly stored: number; readonly seen: StoredFence | null }
  /** The token is the stored one, with magic numbers that the fence does not have. */
  | { readonly kind: 'other_magics'; readonly magics: readonly number[] };

/** A PUT that changes nothing visible. */
export type RefusedRaise = Extract<Raise, { readonly kind: 'conflict' | 'other_magics' }>;

/** Decides on a PUT. @param nowMs UTC */
export function decideRaise(
  fence: StoredFence | undefined,
  { token, magics }: WantedFence,
  losses: Losses,
  nowMs: number,
): Raise {
  if (!fence && losses.count > 0) {
    const seen = { token, magics: [], losses: null, raisedAtMs: null };
    return { kind: 'conflict', stored: tokenToExceed(seen, losses), seen };
  }
  const stored = fence ? tokenToExceed(fence, losses) : 0;
  const isSame = token === stored && fence !== undefined && !isHeld(fence, losses);
  if (isSame) {
    const missing = magics.filter((magic) => !fence.magics.includes(magic));
    return missing.length === 0 ? { kind: 'same' } : { kind: 'other_magics', magics: missing };
  }
  if (token <= stored) return { kind: 'conflict', stored, seen: null };
  const all = [...new Set([...(fence?.magics ?? []), ...magics])].sort((a, b) => a - b);
  return { kind: 'raise', fence: { token, magics: all, losses: losses.count, raisedAtMs: nowMs } };
}
