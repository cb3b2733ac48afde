import type { Reject } from '@libs/strategy';
import type { IntentRecord } from '../core/records';
import { goesByClock } from './live-period';
import type { Span } from './live-trade';

/**
 * The requests that were refused in a period, as far as the daemon's records have them. Denied intents are never sent and have no
 * record.
 * @param nowMs the clock: records have its times, while the period is in the market's
 */
export function rejectedRequests(intents: readonly IntentRecord[], span: Span, nowMs: number): readonly Reject[] {
  const { fromMs, toMs, isUntilNow } = span;
  const aheadMs = goesByClock(span, nowMs) ? 0 : nowMs - toMs;
  return intents
    .filter(({ createdAtMs }) => createdAtMs >= fromMs + aheadMs && (isUntilNow || createdAtMs < toMs))
    .flatMap(({ intentId, state, outcome }): Reject[] => {
      if (state !== 'rejected' && state !== 'blocked' && state !== 'absent') return [];
      const kind = state === 'blocked' ? 'blocked' : 'rejected';
      return [{ intentId, kind, reason: outcome ?? 'no reason is recorded', retcode: null }];
    });
}
