import { backoffMs, type Clock } from '@libs/clock';
import type { BarRecord } from '@libs/gateway-client';
import { closedBars, type ClosedBar } from './closed-bar';
import { KeptPast, RecentBars } from './kept-past';
import type { Slots } from '../slots';

/** Maximum gap that is filled: a week of minute bars. */
const mostBars = 10_000;
/** Bars beyond the expected ones that are always asked for: the last delivered, the forming one, and some slack. */
const overlap = 8;
const longestWaitMs = 2_000;
/** A read that takes longer shows a slow terminal, and not only a busy machine. */
const slowMs = 200;
/**
 * After a slow read, a feed waits this many times as long as the read took, so that the feeds leave the terminal to others.
 * A quote of the next bar ends the wait.
 */
const restsPerRead = 8;
const longestRestMs = 10_000;
/** Maximum number of reads until the history connects to the delivered bars; one is usual. */
const mostReads = 10;

interface BarFeedOptions {
  /** Length of a bar; null when they differ. */
  readonly barMs: number | null;
  readonly clock: Clock;
  /** Shared with the other feeds of a gateway, for the reads of new bars. */
  readonly reading: Pick<Slots, 'take'>;
}

/** Where the bars of a feed come from. */
export interface BarSource {
  /** Reads the last `count` bars, the forming one last. */
  read(count: number): Promise<BarRecord[]>;
  /** Reads account and prices before new bars are delivered, so that they are at least as recent as the bars. */
  refresh(): Promise<void>;
  failed(error: unknown): void;
}

export type BarListener = (bars: readonly ClosedBar[], receivedNanos: number) => void;

/**
 * Delivers the closed bars of one symbol and timeframe, each exactly once and in order, to all listeners. A gap is
 * filled by reading further back; only bars that are no longer available from the gateway count as missed.
 */
export class BarFeed {
  delivered = 0;
  missed = 0;
  /** Bars delivered since the first listener subscribed. */
  private recent = new RecentBars(null);
  private readonly past = new KeptPast();
  private readonly listeners = new Set<BarListener>();
  private readonly pace = new BarPace();
  /** The loop that reads new bars; null without listeners. */
  private loop: object | null = null;
  private failures = 0;
  private lastBucket = 0;
  /** Whether a quote of another bar came since the last read began. */
  private isDue = false;
  /** How long the last read took, in milliseconds. */
  private tookMs = 0;
  private wake: (() => void) | null = null;

  constructor(
    private readonly source: BarSource,
    private readonly options: BarFeedOptions,
    private readonly nanosNow: () => number,
  ) {}

  /**
   * Subscribes and returns the closed bars before, ascending: no bar is lost or doubled between the two. Fewer bars
   * than requested are returned only if the gateway has no more.
   * @throws GatewayReadError when there is no answer
   */
  async subscribe(pastBars: number, listener: BarListener): Promise<readonly ClosedBar[]> {
    for (let count = pastBars + overlap, reads = 1; ; reads++) {
      if (reads > mostReads) throw new Error('the history does not connect to the bars delivered since');
      const read = await this.pastOf(count);
      // Bars delivered during the read would be lost between the two.
      const bars = this.loop === null ? read : this.recent.joinedTo(read);
      if (bars === null) {
        this.past.drop();
        continue;
      }
      // Without listeners, the feed continues at the newest bar, not where the last listener left.
      if (this.loop === null) this.recent = new RecentBars(bars.at(-1)?.serverMs ?? null);
      const lastMs = this.recent.newestMs;
      const past = bars.filter(({ serverMs }) => lastMs !== null && serverMs <= lastMs);
      const missing = pastBars - past.length;
      // The other listeners lag, as after an outage: the bars between lie further back.
      if (missing > 0 && read.length >= count - 1) {
        count += missing + overlap;
        continue;
      }
      this.listeners.add(listener);
      this.start();
      return past.slice(-pastBars || past.length);
    }
  }

  /** The feed stops with its last listener. */
  unsubscribe(listener: BarListener): void {
    this.listeners.delete(listener);
    if (this.listeners.size > 0) return;
    this.loop = null;
    this.past.drop();
    this.wake?.();
  }

  /** Notes a quote: the first quote of a new bar closes the bar before. @param tickMs on the broker's clock */
  heard(tickMs: number): void {
    const bucket = Math.floor(tickMs / (this.options.barMs ?? Number.MAX_SAFE_INTEGER));
    if (bucket <= this.lastBucket) return;
    this.lastBucket = bucket;
    this.isDue = true;
    this.wake?.();
  }

  /** The closed bars of a read; while the feed runs, those of an earlier read that are still the same. */
  private async pastOf(count: number): Promise<readonly ClosedBar[]> {
    const { clock } = this.options;
    const kept = this.loop === null ? null : this.past.read(count, clock.monotonicMs());
    if (kept !== null) return kept;
    const read = closedBars(await this.source.read(count));
    this.past.keep(read, clock.monotonicMs());
    return read;
  }

  private async pause(ms: number): Promise<void> {
    if (this.isDue) return;
    await new Promise<void>((resolve) => {
      const timer = this.options.clock.setTimer(ms, resolve);
      this.wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  private get waitMs(): number {
    const restMs = this.tookMs < slowMs ? 0 : Math.min(longestRestMs, restsPerRead * this.tookMs);
    const firstMs = this.pace.waitMs;
    return Math.max(restMs, backoffMs(this.failures, { firstMs, longestMs: longestWaitMs }));
  }

  private start(): void {
    if (this.loop) return;
    const loop = (this.loop = {});
    void this.run(loop);
  }

  private async run(loop: object): Promise<void> {
    while (this.loop === loop) {
      await this.pause(this.waitMs);
      if (this.loop !== loop) return;
      try {
        await this.look(loop);
        this.failures = 0;
      } catch (error) {
        this.failures++;
        this.source.failed(error);
      }
    }
  }

  private async look(loop: object): Promise<void> {
    let count = overlap;
    for (;;) {
      const bars = await this.timed(() => this.source.read(count));
      this.past.compare(bars, this.options.clock.monotonicMs());
      this.pace.looked();
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
      await this.source.refresh();
      // The listeners left meanwhile; new listeners received these bars as history.
      if (this.loop !== loop) return;
      if (!reachesBack) this.missed += this.barsBetween(lastMs, fresh[0]);
      this.deliver(fresh, receivedNanos);
      return;
    }
  }

  private async timed(read: () => Promise<BarRecord[]>): Promise<readonly ClosedBar[]> {
    const { clock, reading } = this.options;
    const beganMs = clock.monotonicMs();
    try {
      const rows = await reading.take(() => {
        // A quote that came before this read needs no further read.
        this.isDue = false;
        return read();
      });
      return closedBars(rows);
    } finally {
      this.tookMs = clock.monotonicMs() - beganMs;
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
}

/**
 * Delays between reads: short enough to find a bar soon after its close, long enough to limit the load of the gateway.
 */
const shortestMs = 5;
const longestMs = 1_000;
/** The first delay while the pace is unknown; it doubles with each look. */
const firstMs = 50;
/** Looks per bar. */
const looksPerBar = 10;
/** Number of the last bars that determine the pace; the fastest counts, so that a pause in the market has no effect. */
const remembered = 5;

/**
 * How quickly bars come, learned from the bars themselves: a replay may run hundreds of times faster than the clock.
 */
export class BarPace {
  private readonly paces: number[] = [];
  private lastSeenMs: number | null = null;
  private looks = 0;

  /** Notes that `count` new bars were found at `nowMs` of a monotonic clock. */
  note(count: number, nowMs: number): void {
    if (this.lastSeenMs !== null) {
      this.paces.push((nowMs - this.lastSeenMs) / count);
      if (this.paces.length > remembered) this.paces.shift();
    }
    this.lastSeenMs = nowMs;
  }

  /** Notes that bars were looked for. */
  looked(): void {
    this.looks++;
  }

  /** How long to wait before looking again. */
  get waitMs(): number {
    if (this.paces.length === 0) return backoffMs(this.looks, { firstMs, longestMs });
    return Math.min(longestMs, Math.max(shortestMs, Math.min(...this.paces) / looksPerBar));
  }
}
