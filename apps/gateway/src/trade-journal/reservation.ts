import { expiredAnswer } from './expired-answer';
import type { Asked, FirstUse } from './known-keys';
import type { TradeAttempt } from './trade-attempt';

/** The journal's decision on a request with a key. */
export type Reservation =
  | { readonly kind: 'reserved'; readonly attempt: TradeAttempt }
  | { readonly kind: 'replay'; readonly status: number; readonly body: string }
  /** The key belongs to a request with other parameters. */
  | { readonly kind: 'conflict'; readonly first: FirstUse }
  | { readonly kind: 'void' }
  /** The fence of the request does not allow it to trade; the key is as before. */
  | { readonly kind: 'fenced' }
  | { readonly kind: 'in_progress' };

/** The reservation of a request that is not accepted; null if it is. */
export function answerTo(
  { result, known, first }: Asked,
  key: string,
  requestId: string,
): Exclude<Reservation, { readonly kind: 'reserved' }> | null {
  if (result.kind === 'refused') {
    if (result.refusal === 'conflict') return { kind: 'conflict', first };
    if (result.refusal === 'fenced') return { kind: 'fenced' };
    return { kind: result.refusal === 'key_void' ? 'void' : 'in_progress' };
  }
  if (!result.effects.includes('answer')) return null;
  if (known?.kind === 'remembered') return { kind: 'replay', ...expiredAnswer(known.entry, key, requestId) };
  const { responseStatus = null, response = null } = known?.record ?? {};
  if (responseStatus === null || response === null) return { kind: 'in_progress' };
  return { kind: 'replay', status: responseStatus, body: response };
}
