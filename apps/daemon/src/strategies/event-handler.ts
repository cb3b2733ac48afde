import type { QueuedEvent } from '../core/event-queue';
import { HandlerErrors } from '../core/halt-rules';
import type { LatencyBook } from '../latency/latency-book';
import { nanosNow } from '../latency/nanos';
import type { BarRecord } from '../logs/bar-record';
import type { StrategyLog } from '../logs/strategy-log';
import { onTime } from '../market-data/closed-bar';
import type { LiveStrategy } from './live-strategy';
import type { MarketClock } from '../live/strategy-market';
import type { StrategyTrading } from '../live/strategy-trading';
import { eventTimeMs, withBrokerTime } from '../core/event-time';
import type { StrategyEvent } from '../core/strategy-event';
import type { LogEntry } from './worker/messages';

/** Passes events to a strategy and executes its intents. */
export class EventHandler {
  /** Bars delivered late. */
  lateBars = 0;
  private readonly thrown = new HandlerErrors();

  constructor(
    private readonly market: MarketClock,
    private readonly log: StrategyLog,
    private readonly latency: LatencyBook,
    private readonly bars: BarRecord,
  ) {}

  /** How often a handler threw. */
  get errors(): number {
    return this.thrown.count;
  }

  /** Resolves when all intents of the event are completed. @throws ThreadLostError */
  async handle(live: LiveStrategy, trading: StrategyTrading, queued: QueuedEvent): Promise<void> {
    const { receivedNanos } = queued;
    const event = this.withLateness(live, queued.event);
    if (event.type === 'bar') this.market.eventMs = event.bar.timeMs;
    if (event.type === 'tick') this.market.eventMs = event.tick.timeMs;
    const afterMs = event.type === 'bar' ? live.newestOpenMs(event.bar) : null;
    const { reaction, startedNanos, endedNanos } = await live.handle(event, trading.view());
    const { name } = live.spec;
    if (event.type === 'bar') this.bars.note(live.seriesOf(event.bar), afterMs, event);
    if (receivedNanos !== null) this.latency.record(name, 'tick_to_strategy', startedNanos - receivedNanos);
    this.latency.record(name, 'strategy', endedNanos - startedNanos);
    if (reaction.logs.length > 0) this.say(reaction.logs, live.market.serverMs(event));
    // Before the intents: a crash must not leave an order that is not in the state.
    if (reaction.state !== null) await trading.keep(reaction.state);
    await this.judge(event.type, reaction.error ?? reaction.stateProblem, trading);
    const isStateKept = reaction.stateProblem === null;
    const origin = { receivedNanos, decidedNanos: nanosNow() };
    for (const intent of reaction.intents) {
      // Checked for each intent: the intents before it may have taken a while.
      const lateness = event.type === 'bar' ? live.market.lateness(event) : onTime;
      const staleBarMs = lateness.isStale ? lateness.lateMs : null;
      await trading.carryOut(intent, origin, { marketMs: this.decidedMs(event), staleBarMs, isStateKept });
    }
  }

  /** Writes the lines of a handler to the log, with the time of its event. */
  private say(lines: readonly LogEntry[], serverMs: number | null): void {
    for (const { message, details } of lines) this.log.said(withBrokerTime(serverMs, message), details ?? undefined);
  }

  /** Value of `trade.timeMs` at the decision. */
  private decidedMs(event: StrategyEvent): number {
    return eventTimeMs(event) ?? this.market.eventMs;
  }

  /** The event for the strategy: a bar carries how late it is delivered. */
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
    if (error !== null) this.log.error(error);
    const reason = this.thrown.note(type, error !== null, book.record.halt !== null);
    if (reason !== null) await account.halt('persistent', reason);
  }
}
