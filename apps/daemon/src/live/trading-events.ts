import type { Fill, OrderGone, Reject } from '@libs/strategy';
import { traceNamed } from '@libs/tracing';
import type { Layer } from '../core/stacks';
import type { HaltRecord } from '../core/records';
import type { TellEffect } from '../core/core-effect';
import { reasonOf, rejection } from '../core/exit-retry';
import type { StrategyLog } from '../logs/strategy-log';

/** What happened to the orders, the positions and the account of one strategy. */
export type TradingEvent =
  /** A request was executed. `ticket`: the order that it became, if known. */
  | { readonly type: 'done'; readonly intentId: string; readonly key: string; readonly ticket: number | null }
  /** An intent was denied, or its request had no effect. */
  | { readonly type: 'rejected'; readonly reject: Reject }
  | { readonly type: 'filled'; readonly fills: readonly Fill[] }
  | { readonly type: 'gone'; readonly gone: OrderGone }
  | { readonly type: 'halted'; readonly halt: HaltRecord }
  /** The price of a layer of a stack is reached: it enters in its turn among the strategy's events. */
  | { readonly type: 'reached'; readonly layer: Layer }
  /** The account was read, and the books agree with it. */
  | { readonly type: 'seen' };

/** Delivers the events of one strategy to its listeners, in the order in which they began to listen. */
export class TradingEvents {
  private readonly listeners: ((event: TradingEvent) => void)[] = [];

  listen(listener: (event: TradingEvent) => void): void {
    this.listeners.push(listener);
  }

  emit(event: TradingEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}

/** Events for the listeners of a strategy: signals, order outcomes, trades and halts. */
type StrategyEventName = 'signal' | 'order' | 'trade' | 'halt';
type Listener = (name: StrategyEventName, data: object) => void;

/** Emits the events of one strategy to its listeners. */
export class StrategyEvents {
  private readonly listeners = new Set<Listener>();

  emit(name: StrategyEventName, data: object): void {
    for (const listener of this.listeners) listener(name, data);
  }

  /** @returns a function that ends the listening */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}

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
