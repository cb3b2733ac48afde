import type { CoreEffect } from '../trade-core/core-event';
import type { FirstUse } from '../trade-core/known-key';
import { expiredAnswer } from './expired-answer';
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
  effects: readonly CoreEffect[],
  key: string,
  requestId: string,
): Exclude<Reservation, { readonly kind: 'reserved' }> | null {
  for (const effect of effects) {
    if (effect.type === 'refuse') {
      const { refusal, first } = effect;
      if (refusal === 'conflict') return { kind: 'conflict', first };
      if (refusal === 'fenced') return { kind: 'fenced' };
      return { kind: refusal === 'key_void' ? 'void' : 'in_progress' };
    }
    if (effect.type !== 'answer') continue;
    const { known } = effect;
    if (known.kind === 'remembered') return { kind: 'replay', ...expiredAnswer(known.entry, key, requestId) };
    const { responseStatus, response } = known.record;
    if (responseStatus === null || response === null) return { kind: 'in_progress' };
    return { kind: 'replay', status: responseStatus, body: response };
  }
  return null;
}
