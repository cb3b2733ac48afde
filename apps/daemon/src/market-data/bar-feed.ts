import type { Clock } from '@libs/clock';
import type { BarRecord } from '@libs/gateway-client';
import { BarPace } from './bar-pace';
import { closedBars, type ClosedBar } from './closed-bar';
import { RecentBars } from './recent-bars';

/** How far a gap is filled: further back than a week of minutes nobody trades on it any more. */
const mostBars = 10_000;
/** Bars beyond the expected ones that are always asked for: the last delivered, the forming one, and some slack. */
const overlap = 8;
const longestBackoffMs = 2_000;
/** Reads until the past joins what was handed on: one is usual. */
const mostReads = 10;

export interface BarFeedOptions {
  /** Reads the last `count` bars, the forming one last. */
  readonly read: (count: number) => Promise<BarRecord[]>;
  /** Length of a bar; null when they differ. */
  readonly barMs: number | null;
  readonly clock: Clock;
  /** Called before new bars are handed on, so that the view of account and prices is not older than they are. */
  readonly beforeDelivery: () => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

export type BarListener = (bars: readonly ClosedBar[], receivedNanos: number) => void;

/**
 * The closed bars of one symbol and timeframe, from the broker's own bars: each exactly once, in order, whoever listens.
 * A gap is filled by asking further back; only a bar the gateway no longer gives counts as missed.
 */
export class BarFeed {
  delivered = 0;
  missed = 0;
  /** What was handed on since somebody listens. */
  private recent = new RecentBars(null);
  private readonly listeners = new Set<BarListener>();
  private readonly pace = new BarPace();
  /** The loop that looks for bars; null while nobody listens. */
  private loop: object | null = null;
  private failures = 0;
  private lastBucket = 0;
  private wake: (() => void) | null = null;

  constructor(
    private readonly options: BarFeedOptions,
    private readonly nanosNow: () => number,
  ) {}

  /**
   * Listens from now on and returns the closed bars before, ascending: nothing is lost or doubled between the two.
   * They are fewer than asked for only when the gateway has no more.
   * @throws GatewayReadError when there is no answer
   */
  async subscribe(warmupBars: number, listener: BarListener): Promise<readonly ClosedBar[]> {
    for (let count = warmupBars + overlap, reads = 1; ; reads++) {
      if (reads > mostReads) throw new Error('the past that was read does not join the bars handed on since');
      const read = closedBars(await this.options.read(count));
      // Bars that were handed on while these were read would fall between the two.
      const bars = this.loop === null ? read : this.recent.joinedTo(read);
      if (bars === null) continue;
      // Where nobody listens, the present is where the bars end, not where the last listener left.
      if (this.loop === null) this.recent = new RecentBars(bars.at(-1)?.serverMs ?? null);
      const lastMs = this.recent.newestMs;
      const past = bars.filter(({ serverMs }) => lastMs !== null && serverMs <= lastMs);
      const missing = warmupBars - past.length;
      // The others are behind, as after an outage: what comes before them lies further back.
      if (missing > 0 && read.length >= count - 1) {
        count += missing + overlap;
        continue;
      }
      this.listeners.add(listener);
      this.start();
      return past.slice(-warmupBars || past.length);
    }
  }

  /** The feed stops when nobody listens any more. */
  unsubscribe(listener: BarListener): void {
    this.listeners.delete(listener);
    if (this.listeners.size > 0) return;
    this.loop = null;
    this.wake?.();
  }

  /** A quote came: the first one of a new bar says that the one before has closed. @param tickMs on the broker's clock */
  heard(tickMs: number): void {
    const bucket = Math.floor(tickMs / (this.options.barMs ?? Number.MAX_SAFE_INTEGER));
    if (bucket <= this.lastBucket) return;
    this.lastBucket = bucket;
    this.wake?.();
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.options.clock.setTimer(ms, resolve);
      this.wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  private start(): void {
    if (this.loop) return;
    const loop = (this.loop = {});
    void this.run(loop);
  }

  private async run(loop: object): Promise<void> {
    while (this.loop === loop) {
      await this.pause(this.failures === 0 ? this.pace.waitMs : this.backoffMs);
      if (this.loop !== loop) return;
      try {
        await this.look(loop);
        this.failures = 0;
      } catch (error) {
        this.failures++;
        this.options.onFailure(error);
      }
    }
  }

  private async look(loop: object): Promise<void> {
    let count = overlap;
    for (;;) {
      const bars = closedBars(await this.options.read(count));
      const receivedNanos = this.nanosNow();
      const lastMs = this.recent.newestMs;
      const fresh = lastMs === null ? bars : bars.filter(({ serverMs }) => serverMs > lastMs);
      const reachesBack = lastMs === null || fresh.length < bars.length || bars.length < count - 1;
      if (!reachesBack && count < mostBars) {
        count = Math.min(mostBars, count * 8);
        continue;
      }
      if (fresh.length === 0) return;
      this.pace.note(fresh.length, this.options.clock.monotonicMs());
      await this.options.beforeDelivery();
      // The listeners left meanwhile: whoever listens by now was given these bars as the past.
      if (this.loop !== loop) return;
      if (!reachesBack) this.missed += this.barsBetween(lastMs, fresh[0]);
      this.deliver(fresh, receivedNanos);
      return;
    }
  }

  private deliver(fresh: readonly ClosedBar[], receivedNanos: number): void {
    this.delivered += fresh.length;
    this.recent.add(fresh);
    for (const listener of this.listeners) listener(fresh, receivedNanos);
  }

  private barsBetween(lastMs: number | null, next: ClosedBar | undefined): number {
    if (lastMs === null || !next) return 0;
    const { barMs } = this.options;
    return barMs === null ? 1 : Math.max(1, Math.round((next.serverMs - lastMs) / barMs) - 1);
  }

  private get backoffMs(): number {
    return Math.min(longestBackoffMs, this.pace.waitMs * 2 ** Math.min(10, this.failures));
  }
}
