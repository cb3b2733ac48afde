import type { TellEffect } from '../core/core-effect';
import { traceNamed } from '@libs/tracing';
import { reasonOf, rejection } from '../core/exit-retry';
import type { StrategyLog } from '../logs/strategy-log';
import type { TradingEvents } from './trading-events';

type NoticeEffect = Extract<TellEffect, { type: 'notice' }>;

/** Counts and logs what happens to the orders of one strategy, and notifies those who listen. */
export class CoreNotices {
  /**
   * Requests by outcome. Those blocked by the kill switch, retries of refused exits and denied intents are counted
   * separately; `stale` counts the `denied` entries that were decided on a late bar.
   */
  readonly counts = { submitted: 0, rejected: 0, blocked: 0, unknown: 0, retried: 0, denied: 0, stale: 0 };

  constructor(
    private readonly log: StrategyLog,
    private readonly events: TradingEvents,
  ) {}

  tell(effect: TellEffect): void {
    const { log, events, counts } = this;
    switch (effect.type) {
      case 'notice':
        return this.report(effect);
      case 'denied': {
        const { reject, staleBarMs } = effect;
        counts.denied++;
        if (staleBarMs !== null) counts.stale++;
        const details = staleBarMs === null ? {} : { barLateMs: staleBarMs };
        log.warning('an intent was denied', { intent: reject.intentId, reason: reject.reason, ...details });
        return events.emit({ type: 'rejected', reject });
      }
      case 'filled':
        for (const fill of effect.fills) log.info('fill', fill);
        return events.emit(effect);
      case 'gone':
        log.info('a pending order ended', effect.gone);
        return events.emit(effect);
      case 'halted':
        // What an operator wants is no error.
        if (effect.byOperator === true) log.warning('halted', effect.halt);
        else log.error('halted', effect.halt);
        return events.emit(effect);
      case 'resumed':
        return log.info('resumed');
      case 'adopted': {
        const tickets = effect.tickets.map(({ ticket }) => ticket).join(', ');
        return log.warning("adopted external positions under the strategy's magic", { tickets });
      }
      case 'warn':
        return log.warning(effect.reason);
      case 'stack ended': {
        const { stack, cancelled, reason } = effect.ended;
        if (cancelled.length > 0) log.info('layers cancelled', { stack: stack.id, layers: cancelled, reason });
      }
    }
  }

  private report({ record: { key, broker: gateway, intentId, call }, notice }: NoticeEffect): void {
    const { log, events, counts } = this;
    const trace_id = traceNamed(key).traceId;
    switch (notice.type) {
      case 'unknown':
        counts.unknown++;
        return log.warning('the outcome of a request is unknown', { key, trace_id, reason: notice.reason });
      case 'held':
        return log.error('a request cannot be resolved', { key, trace_id, gateway, reason: notice.reason });
      case 'done':
        counts.submitted++;
        log.info('done', { key, trace_id, path: call.path, ticket: notice.order });
        return events.emit({ type: 'done', intentId, key, ticket: notice.order });
      case 'refused':
        return log.warning(notice.refusal.kind, {
          key: notice.key,
          trace_id: traceNamed(notice.key).traceId,
          reason: reasonOf(notice.refusal),
        });
      case 'retrying':
        return log.warning('an exit will be retried', { intent: intentId, inMs: notice.waitMs });
      case 'retried':
        counts.retried++;
        return;
      case 'rejected': {
        const { refusal, failedExit: ticket } = notice;
        const reject = rejection(intentId, refusal);
        counts[refusal.kind === 'blocked' ? 'blocked' : 'rejected']++;
        if (ticket !== null)
          log.error('a position could not be closed', { ticket, key, trace_id, reason: reject.reason });
        return events.emit({ type: 'rejected', reject });
      }
    }
  }
}
