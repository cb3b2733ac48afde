import type { LatencyBook } from '../latency/latency-book';
import { nanosNow } from '../latency/nanos';
import type { StrategyLog } from '../logs/strategy-log';
import { timeframeMs } from '../market-data/closed-bar';
import { onTime } from '../market-data/late-bar';
import type { QueuedEvent } from './event-queue';
import type { LiveStrategy } from './live-strategy';
import type { StrategyTrading } from './strategy-trading';
import type { Intent, StrategyEvent } from './worker/messages';

/** Handlers of one kind of event that may throw in a row before the strategy is halted. */
const mostErrors = 5;

/** Hands a strategy its events, and carries out what it wants. */
export class EventHandler {
  /** How often a handler threw. */
  errors = 0;
  /** Bars that were handed on late. */
  lateBars = 0;
  /** By kind of event: that its refusals are taken well is no excuse for a strategy that throws at every bar. */
  private readonly errorsInARow = new Map<StrategyEvent['type'], number>();

  /** @param marketMs market time until the first event tells it, in milliseconds since the epoch */
  constructor(
    public marketMs: number,
    private readonly log: StrategyLog,
    private readonly latency: LatencyBook,
  ) {}

  /** Resolves when all that came of the event is done with. @throws ThreadLostError */
  async handle(live: LiveStrategy, trading: StrategyTrading, queued: QueuedEvent): Promise<void> {
    const { receivedNanos } = queued;
    const event = this.withLateness(live, queued.event);
    if (event.type === 'bar') this.marketMs = event.bar.timeMs;
    if (event.type === 'tick') this.marketMs = event.tick.timeMs;
    const { reaction, startedNanos, endedNanos } = await live.handle(event, trading.view());
    const { name } = live.spec;
    if (receivedNanos !== null) this.latency.record(name, 'tick_to_strategy', startedNanos - receivedNanos);
    this.latency.record(name, 'strategy', endedNanos - startedNanos);
    for (const { message, details } of reaction.logs) this.log.said(message, details ?? undefined);
    await this.judge(event.type, reaction.error, trading);
    const origin = { receivedNanos, decidedNanos: nanosNow() };
    for (const intent of reaction.intents) {
      // Asked for each: what was wanted before it may have taken its time.
      const lateness = event.type === 'bar' ? live.market.lateness(event) : onTime;
      if (lateness.isStale && isEntry(intent)) trading.desk.denyStale(intent.id, lateness.lateMs);
      else await trading.carryOut(intent, origin, this.decidedMs(event));
    }
  }

  /** What `trade.timeMs` was: at a bar the instant it closed. */
  private decidedMs(event: StrategyEvent): number {
    if (event.type !== 'bar') return this.marketMs;
    const { timeMs, timeframe } = event.bar;
    return timeMs + (timeframeMs(timeframe) ?? 0);
  }

  /** The event as the strategy gets it: a bar says how late it is at the moment it is handed on. */
  private withLateness(live: LiveStrategy, event: StrategyEvent): StrategyEvent {
    if (event.type !== 'bar') return event;
    const { lateMs } = live.market.lateness(event);
    if (lateMs === 0) return event;
    this.lateBars++;
    return { ...event, bar: { ...event.bar, lateMs } };
  }

  private async judge(
    type: StrategyEvent['type'],
    error: string | null,
    { account, book }: StrategyTrading,
  ): Promise<void> {
    if (error === null) {
      this.errorsInARow.delete(type);
      return;
    }
    this.errors++;
    this.log.error(error);
    const inARow = (this.errorsInARow.get(type) ?? 0) + 1;
    this.errorsInARow.set(type, inARow);
    if (inARow < mostErrors || book.record.halt !== null) return;
    this.errorsInARow.clear();
    await account.halt('persistent', `${mostErrors} handlers threw in a row`);
  }
}

/** Whether an intent opens something; every other intent reduces, protects or cancels. */
function isEntry({ action }: Intent): boolean {
  return action === 'enter' || action === 'stack';
}
