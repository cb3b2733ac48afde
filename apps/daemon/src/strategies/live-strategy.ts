import type { Bar, Stream } from '@libs/strategy';
import type { StrategySpec } from '../daemon-file/daemon-file';
import { EventQueue, type QueuedEvent } from './event-queue';
import type { Services } from './services';
import type { Bundle } from './strategy-bundler';
import { StrategyMarket, tooFewBars } from './strategy-market';
import type { Handled } from './strategy-thread';
import type { Seat } from './threads';
import type { Loaded, StrategyEvent, View } from './worker/messages';

export interface LiveSurroundings {
  view(): View;
  onEvent(queued: QueuedEvent): void;
  onQuote: ConstructorParameters<typeof StrategyMarket>[3];
}

/** Where one version of a strategy lives: its thread and its part of the market. Until it is live its events wait. */
export class LiveStrategy {
  readonly market: StrategyMarket;
  /** Open time of the newest bar it has handled, of any stream, in milliseconds since the epoch; null before the first. */
  newestMs: number | null = null;
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
    services: Services,
    private readonly around: LiveSurroundings,
  ) {
    this.market = new StrategyMarket(
      spec.streams,
      (name) => services.gateway(name),
      (queued) => (this.isLive ? around.onEvent(queued) : this.early.add(queued)),
      (...quote) => {
        if (this.isLive) around.onQuote(...quote);
      },
    );
  }

  /** Loads a strategy into a thread. @throws StrategyRefusedError, ThreadLostError */
  static async load(
    spec: StrategySpec,
    bundle: Bundle,
    place: { readonly seat: Seat; readonly idPrefix: string },
    services: Services,
    around: LiveSurroundings,
  ): Promise<LiveStrategy> {
    const { params, streams } = spec;
    try {
      const loaded = await place.seat.load(bundle, { params, streams, idPrefix: place.idPrefix });
      return new LiveStrategy(spec, bundle, loaded, place.seat, services, around);
    } catch (error) {
      await place.seat.leave();
      throw error;
    }
  }

  get isOver(): boolean {
    return this.hasEnded;
  }

  /** Plays the past of every stream in, and listens to it from then on. @throws Error when a handler throws */
  async warmUp(): Promise<void> {
    for (const stream of this.spec.streams) await this.join(stream);
  }

  async handle(event: StrategyEvent, view: View): Promise<Handled> {
    const handled = await this.seat.handle(event, view);
    this.note(event);
    return handled;
  }

  /**
   * Plays in, as its past, the bars that came while it warmed up and that the version before it has handled; the others
   * go on waiting. Ticks are no past: those that came in between are left out.
   * @throws Error when a handler throws
   */
  async catchUpWith(before: LiveStrategy): Promise<void> {
    const unhandled: QueuedEvent[] = [];
    for (let queued = this.early.take(); queued !== null; queued = this.early.take()) {
      if (typeof queued === 'function' || queued.event.type !== 'bar') continue;
      const { event } = queued;
      if (before.hasHandled(this.keyOf(event.bar), event.serverMs)) await this.playPast({ ...event, warmingUp: true });
      else unhandled.push(queued);
    }
    for (const queued of unhandled) this.early.add(queued);
  }

  /** From now on its events are handed on, those that have waited first. @param onLost told when its thread is gone */
  goLive(onLost: (error: Error) => void): void {
    for (let queued = this.early.take(); queued !== null; queued = this.early.take()) {
      if (typeof queued !== 'function') this.around.onEvent(queued);
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

  private async join(stream: Stream): Promise<void> {
    const { warmupBars, wantsTicks } = this.loaded;
    const past = await this.market.join(stream, warmupBars, wantsTicks);
    // Indicators that are not warm are wrong without looking so.
    if (past.length < warmupBars) throw new Error(tooFewBars(stream, warmupBars, past.length));
    for (const event of past) await this.playPast(event);
  }

  private async playPast(event: StrategyEvent): Promise<void> {
    const { reaction } = await this.handle(event, this.around.view());
    if (reaction.error !== null) throw new Error(reaction.error);
  }

  private note(event: StrategyEvent): void {
    if (event.type !== 'bar') return;
    this.newestBars.set(this.keyOf(event.bar), event.serverMs);
    this.newestMs = Math.max(this.newestMs ?? -Infinity, event.bar.timeMs);
  }

  private hasHandled(key: string, serverMs: number): boolean {
    return serverMs <= (this.newestBars.get(key) ?? -Infinity);
  }

  /** Names a bar's series whatever the strategy calls its stream. */
  private keyOf({ stream, symbol, timeframe }: Bar): string {
    const broker = this.spec.streams.find(({ alias }) => alias === stream)?.broker ?? '';
    return `${broker}:${symbol}@${timeframe}`;
  }
}
