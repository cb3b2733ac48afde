import type { Reject } from '@libs/strategy';
import type { AskEffect, RequestedEffect } from '../core/core-effect';
import type { AskedEvent, OrderEvent } from '../core/core-event';
import type { IntentCall } from '../core/intent-call';
import type { BacktestBooks } from './backtest-books';
import type { BacktestGateway } from './backtest-gateway';
import type { BacktestMarket } from './backtest-market';

/** A refused exit that is sent again later. */
interface WaitingRetry {
  readonly key: string;
  /** Market time at which it is due, in UTC milliseconds. */
  readonly dueMs: number;
}

/**
 * Performs what the requests of a strategy wait for. The outcome of a request is always known, and nothing is stored;
 * only the retry of a refused exit takes market time.
 */
export class BacktestRequests {
  /** In the order in which they are due. */
  private waiting: readonly WaitingRetry[] = [];
  private rejects: Reject[] = [];

  constructor(
    private readonly market: BacktestMarket,
    private readonly gateway: BacktestGateway,
    private readonly books: BacktestBooks,
  ) {}

  /** Market time at which the next retry is due, in UTC milliseconds; null while none waits. */
  get nextRetryMs(): number | null {
    return this.waiting[0]?.dueMs ?? null;
  }

  /** Key of a retry that is due, which waits no longer; null if there is none. */
  takeDue(): string | null {
    const [next] = this.waiting;
    if (!next || next.dueMs > this.market.nowMs) return null;
    this.waiting = this.waiting.slice(1);
    return next.key;
  }

  /** @returns the event that the effect ends with; null for a retry, which is due later */
  perform(effect: RequestedEffect): OrderEvent | null {
    const { key } = effect;
    switch (effect.type) {
      case 'persist':
        this.books.perform(effect);
        return { type: 'persisted', n: effect.n, isDurable: true };
      case 'submit': {
        // The core plans no other calls.
        const outcome = this.gateway.send(effect.record.call as IntentCall, key);
        return { type: 'request', key, event: { type: 'answered', outcome } };
      }
      case 'find order':
        return { type: 'order found', key, order: effect.order ?? 0, remembered: null };
      case 'ask': {
        const event = this.ask(effect);
        return event && { type: 'request', key, event };
      }
    }
  }

  /** Keeps a rejection until {@link takeRejects}: the books come first. */
  note(reject: Reject): void {
    this.rejects.push(reject);
  }

  /** What has ended without effect since the last call, as the strategy receives it. */
  takeRejects(): readonly Reject[] {
    const { rejects } = this;
    this.rejects = [];
    return rejects;
  }

  private ask({ key, effect }: AskEffect): AskedEvent | null {
    switch (effect.type) {
      case 'show':
      case 'read account':
        this.books.look();
        return { type: 'seen' };
      case 'wait to retry': {
        const dueMs = this.market.nowMs + effect.ms;
        const before = this.waiting.filter((other) => other.dueMs <= dueMs);
        this.waiting = [...before, { key, dueMs }, ...this.waiting.slice(before.length)];
        return null;
      }
      default:
        throw new Error(`the outcome of ${key} is not known`);
    }
  }
}
