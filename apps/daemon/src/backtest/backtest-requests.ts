import type { Reject } from '@libs/strategy';
import type { IntentCall } from '../core/intent-call';
import { added, handle, noRequests, type InFlightRequests } from '../core/in-flight-requests';
import {
  newIntent,
  type IntentEffect,
  type IntentEvent,
  type IntentLife,
  type IntentStep,
} from '../core/intent-lifecycle';
import type { PlannedIntent } from '../core/plan';
import { rejection } from '../core/rejection';
import { factsOf, timesOf, type RequestMoment } from '../core/request-facts';
import type { IntentRecord } from '../state/records';
import type { BacktestBooks } from './backtest-books';
import type { BacktestGateway } from './backtest-gateway';
import type { BacktestMarket } from './backtest-market';

/** A refused exit that is sent again later. */
interface WaitingRetry {
  readonly key: string;
  readonly call: IntentCall;
  /** Market time at which it is due, in UTC milliseconds. */
  readonly dueMs: number;
}

/**
 * Sends the requests of a strategy to the simulated broker, and follows each to its end, as the daemon does. The outcome
 * of a request is always known, and nothing is stored; only the retry of a refused exit takes market time.
 */
export class BacktestRequests {
  private requests: InFlightRequests = noRequests;
  /** In the order in which they are due. */
  private waiting: readonly WaitingRetry[] = [];
  private rejects: Reject[] = [];

  constructor(
    private readonly market: BacktestMarket,
    private readonly gateway: BacktestGateway,
    private readonly books: BacktestBooks,
  ) {}

  /** Requests that have not ended: exits that wait for a retry. */
  get records(): readonly IntentRecord[] {
    return this.requests.requests.map(({ record }) => record);
  }

  /** Market time at which the next retry is due, in UTC milliseconds; null while none waits. */
  get nextRetryMs(): number | null {
    return this.waiting[0]?.dueMs ?? null;
  }

  /** Sends a request, until it ends or waits for its retry. */
  send(plan: PlannedIntent, intentId: string): void {
    const { book } = this.books;
    const made = { createdAtMs: this.market.nowMs, state: 'open', outcome: null } as const;
    const record: IntentRecord = { ...plan, key: intentId, strategy: book.spec.name, intentId, ...made };
    const step = newIntent(record, timesOf(record, book, this.moment));
    this.requests = added(this.requests, step.life);
    this.run(step, plan.call);
  }

  /** Sends the retries that are due. */
  retryDue(): void {
    for (let [next] = this.waiting; next && next.dueMs <= this.market.nowMs; [next] = this.waiting) {
      this.waiting = this.waiting.slice(1);
      this.run(this.delivered(next.key, { type: 'timer' }), next.call);
    }
  }

  /** What has ended without effect since the last call, as the strategy receives it. */
  takeRejects(): readonly Reject[] {
    const { rejects } = this;
    this.rejects = [];
    return rejects;
  }

  private run(first: IntentStep | null, call: IntentCall): void {
    for (let step = first; step !== null;) {
      const { effect, life }: IntentStep = step;
      for (const notice of step.notices) {
        if (notice.type === 'rejected') this.rejects.push(rejection(life.record.intentId, notice.refusal));
      }
      if (effect === null) return;
      if (effect.type === 'wait to retry') return this.wait({ key: life.record.key, call }, effect.ms);
      step = this.delivered(life.record.key, this.perform(effect, life, call));
    }
  }

  private perform(effect: IntentEffect, { record }: IntentLife, call: IntentCall): IntentEvent {
    switch (effect.type) {
      case 'write request':
      case 'write refusal':
        return { type: 'written', isDurable: true, order: null };
      case 'write done':
        return { type: 'written', isDurable: true, order: this.books.note(record, effect.body) };
      case 'send':
        return { type: 'answered', outcome: this.gateway.send(call, record.key) };
      case 'show':
      case 'read account':
        this.books.look();
        return { type: 'seen' };
      default:
        throw new Error(`the outcome of ${record.key} is not known`);
    }
  }

  private wait(retry: Omit<WaitingRetry, 'dueMs'>, ms: number): void {
    const dueMs = this.market.nowMs + ms;
    const before = this.waiting.filter((other) => other.dueMs <= dueMs);
    this.waiting = [...before, { ...retry, dueMs }, ...this.waiting.slice(before.length)];
  }

  private delivered(key: string, event: IntentEvent): IntentStep | null {
    const record = this.records.find((one) => one.key === key);
    if (!record) return null;
    const { all, step } = handle(
      this.requests,
      key,
      event,
      factsOf(record, this.requests, this.books.book, this.moment),
    );
    this.requests = all;
    return step;
  }

  /** Market time is the only time. */
  private get moment(): RequestMoment {
    const { nowMs } = this.market;
    return { nowMs, monotonicMs: nowMs, isStopping: false, hasGateway: true, journalId: null };
  }
}
