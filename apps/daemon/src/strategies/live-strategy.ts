import type { Bar, Quote, Stream } from '@libs/strategy';
import { EventQueue, type QueuedEvent, type QueueItem } from '../core/event-queue';
import type { StrategySpec } from '../core/strategy-spec';
import type { Bundle } from './strategy-bundler';
import { StrategyMarket, type MarketListener, type MarketServices } from '../live/strategy-market';
import { tooFewBars } from '../market-data/closed-bar';
import type { EventPump } from './event-pump';
import { NotYetError } from './not-yet-error';
import type { Handled } from './strategy-thread';
import type { StrategyTrading } from '../live/strategy-trading';
import type { Seat } from './threads';
import type { StateText } from '../core/records';
import type { BarEvent, StrategyEvent } from '../core/strategy-event';
import type { Loaded } from './worker/messages';
import type { View } from '../live/view';

/** Past bars without an answer that a thread has at most. */
const mostAhead = 64;

/** The queue of the strategy, and its trading. */
export interface LiveSurroundings {
  readonly queue: Pick<EventPump, 'add'>;
  readonly trading: Pick<StrategyTrading, 'view' | 'kept' | 'see'>;
}

/** One version of a strategy: its thread and its part of the market. Its events wait until it is live. */
export class LiveStrategy implements MarketListener {
  readonly market: StrategyMarket;
  /**
   * Open time of the newest bar it has handled, of any stream, in milliseconds since the epoch; null before the first.
   */
  newestMs: number | null = null;
  /** The state that it began with, in its version; null if it declares none. */
  state: StateText | null;
  private isLive = false;
  private hasEnded = false;
  private readonly early = new EventQueue();
  /** Open of the newest bar that was handled on the broker's clock, by series. */
  private readonly newestBars = new Map<string, number>();

  private constructor(
    readonly spec: StrategySpec,
    readonly bundle: Bundle,
    readonly loaded: Loaded,
    private readonly seat: Seat,
    services: MarketServices,
    private readonly around: LiveSurroundings,
  ) {
    this.market = new StrategyMarket(spec.streams, services.gateways, services, this);
    this.state = loaded.state;
  }

  /** Loads a strategy into a thread. @throws StrategyRefusedError, ThreadLostError */
  static async load(
    spec: StrategySpec,
    bundle: Bundle,
    place: { readonly seat: Seat; readonly idPrefix: string },
    services: MarketServices,
    around: LiveSurroundings,
  ): Promise<LiveStrategy> {
    const { params, streams } = spec;
    try {
      const state = around.trading.kept;
      const loaded = await place.seat.load(bundle, { params, streams, idPrefix: place.idPrefix, state });
      return new LiveStrategy(spec, bundle, loaded, place.seat, services, around);
    } catch (error) {
      await place.seat.leave();
      throw error;
    }
  }

  receive(queued: QueuedEvent): void {
    if (this.isLive) this.around.queue.add(queued);
    else this.early.add(queued);
  }

  see(alias: string, quote: Quote): void {
    if (this.isLive) this.around.trading.see(alias, quote, this.market.symbolSpec(alias));
  }

  get isOver(): boolean {
    return this.hasEnded;
  }

  /**
   * Listens to every stream, and plays their past in, merged by time. @throws Error when a handler throws or there are too
   * few bars
   */
  async warmUp(): Promise<void> {
    const past: BarEvent[] = [];
    for (const stream of this.spec.streams) past.push(...(await this.join(stream)));
    this.market.handOnBars();
    const newestMs = Math.max(...past.map((event) => this.market.closeMs(event)));
    // A stream that joined first may have delivered a bar that is older than the newest of the stream that joined last.
    const between = this.takeEarly((event) => this.market.closeMs(event) <= newestMs);
    await this.playPast(this.market.inOrder([...past, ...between]));
  }

  async handle(event: StrategyEvent, view: View): Promise<Handled> {
    const handled = await this.seat.handle(event, view);
    this.note(event);
    return handled;
  }

  /**
   * Plays in, as its past, the bars that came while it warmed up and that the version before it has handled; the others
   * go on waiting.
   * @throws Error when a handler throws
   */
  async catchUpWith(before: LiveStrategy): Promise<void> {
    // Bars that wait for those of other streams may be among them.
    this.market.handOnBars();
    const past = this.takeEarly(({ bar, serverMs }) => before.hasHandled(this.seriesOf(bar), serverMs));
    await this.playPast(past);
  }

  /**
   * Continues with what the version before it keeps by now. @throws StrategyRefusedError when its state cannot be migrated,
   * ThreadLostError
   */
  async adoptState(): Promise<void> {
    const { kept } = this.around.trading;
    if (kept !== null && this.state !== null) this.state = await this.seat.adopt(kept);
  }

  /** From now on its events are passed on, those that have waited first. @param onLost called when its thread is lost */
  goLive(onLost: (error: Error) => void): void {
    for (let queued = this.early.take(); queued !== null; queued = this.early.take()) {
      this.around.queue.add(queued);
    }
    this.isLive = true;
    this.seat.whenLost(onLost);
  }

  async end(): Promise<void> {
    this.isLive = false;
    this.hasEnded = true;
    this.market.leave();
    await this.seat.leave();
  }

  /** Listens to a stream. @returns its past */
  private async join(stream: Stream): Promise<readonly BarEvent[]> {
    const { wantsTicks } = this.loaded;
    const pastBars = this.loaded.pastBars[stream.alias] ?? 0;
    const past = await this.market.join(stream, pastBars, wantsTicks);
    // Indicators that are not warmed up give wrong values without an error.
    if (past.length < pastBars) throw new NotYetError(tooFewBars(stream, pastBars, past.length));
    return past;
  }

  /**
   * Takes from the events that came early the bars that have become its past; the other bars go on waiting. Ticks are no
   * past: those that came in between are left out.
   */
  private takeEarly(isPast: (event: BarEvent) => boolean): readonly BarEvent[] {
    const past: BarEvent[] = [];
    const waiting: QueueItem[] = [];
    for (let queued = this.early.take(); queued !== null; queued = this.early.take()) {
      if (queued.type !== 'event' || queued.event.type !== 'bar') continue;
      if (isPast(queued.event)) past.push({ ...queued.event, warmingUp: true });
      else waiting.push(queued);
    }
    for (const queued of waiting) this.early.add(queued);
    return past;
  }

  /** Many bars are posted at a time, which the thread handles in their order. @throws Error for the first that threw */
  private async playPast(past: readonly BarEvent[]): Promise<void> {
    for (let from = 0; from < past.length; from += mostAhead) {
      const ahead = past.slice(from, from + mostAhead);
      const handled = await Promise.all(ahead.map((event) => this.handle(event, this.around.trading.view())));
      const error = handled.find(({ reaction }) => reaction.error !== null)?.reaction.error ?? null;
      if (error !== null) throw new Error(error);
    }
  }

  private note(event: StrategyEvent): void {
    if (event.type !== 'bar') return;
    this.newestBars.set(this.seriesOf(event.bar), event.serverMs);
    this.newestMs = Math.max(this.newestMs ?? -Infinity, event.bar.timeMs);
  }

  /** Open of the newest bar of a bar's series that was handled, on the broker's clock in milliseconds; null without one. */
  newestOpenMs(bar: Bar): number | null {
    return this.newestBars.get(this.seriesOf(bar)) ?? null;
  }

  private hasHandled(key: string, serverMs: number): boolean {
    return serverMs <= (this.newestBars.get(key) ?? -Infinity);
  }

  /** Names a bar's series whatever the strategy calls its stream: `demo:EURUSD@M1`. */
  seriesOf({ stream, symbol, timeframe }: Bar): string {
    const broker = this.spec.streams.find(({ alias }) => alias === stream)?.broker ?? '';
    return `${broker}:${symbol}@${timeframe}`;
  }
}
