import type { ClosedBarRow } from '@libs/simulator';
import type { ClosedBar } from '../market-data/closed-bar';

/** A bar as a live strategy received it. Times are UTC milliseconds, prices are bids. */
export interface ReceivedBar extends Omit<ClosedBarRow, 'serverMs'> {
  /** Open of the next bar. */
  readonly closedMs: number;
  /** How late it came. */
  readonly lateMs: number;
}

/** A time whose bars are known: the strategy received these, and no others that open after `afterMs` and until `toMs`. */
export interface ReceivedStretch {
  readonly afterMs: number;
  readonly toMs: number;
  readonly bars: readonly ReceivedBar[];
}

/** What a live strategy received of a stream; ascending, without overlap. */
export interface ReceivedStream {
  readonly symbol: string;
  readonly timeframe: string;
  readonly stretches: readonly ReceivedStretch[];
}

/** What is needed of the market. */
interface MarketTimes {
  /** Time of the newest quote of a symbol, in UTC milliseconds; null before the first. */
  quoteMs(symbol: string): number | null;
  /** An instant on the broker's clock, both in milliseconds. */
  serverMs(utcMs: number): number;
}

/** The bars of a stream as they close. */
export interface ClosedBars {
  /** The next bar that has closed by an instant, in UTC milliseconds; null when there is none yet. */
  next(nowMs: number): ClosedBar | null;
}

/** Those that a live strategy received, and those of the market at all other times. @param received omitted: nothing is known */
export function asReceived(market: ClosedBars, received: ReceivedStream | undefined, times: MarketTimes): ClosedBars {
  return received === undefined ? market : new BarsAsReceived(market, received, times);
}

class BarsAsReceived implements ClosedBars {
  private readonly bars: readonly ReceivedBar[];
  private readonly stretches: readonly ReceivedStretch[];
  /** The next of {@link bars}. */
  private at = 0;
  private stretch = 0;
  /** A bar of the market that has closed, and comes after one that was received. */
  private waiting: ClosedBar | null = null;

  constructor(
    private readonly market: ClosedBars,
    private readonly received: ReceivedStream,
    private readonly times: MarketTimes,
  ) {
    this.stretches = received.stretches;
    this.bars = received.stretches.flatMap(({ bars }) => bars);
  }

  next(nowMs: number): ClosedBar | null {
    this.waiting ??= this.nextOfMarket(nowMs);
    const own = this.bars[this.at];
    // As live: a bar has closed when the first quote of the next one comes.
    const quoteMs = this.times.quoteMs(this.received.symbol) ?? -Infinity;
    const isDue = own !== undefined && own.closedMs <= quoteMs;
    if (isDue && (this.waiting === null || own.timeMs < this.waiting.timeMs)) {
      this.at++;
      const [serverMs, closedMs] = [this.times.serverMs(own.timeMs), this.times.serverMs(own.closedMs)];
      return { ...own, serverMs, closedMs };
    }
    const { waiting } = this;
    this.waiting = null;
    return waiting;
  }

  /** The next bar of the market at a time that is not known from the strategy. */
  private nextOfMarket(nowMs: number): ClosedBar | null {
    let bar = this.market.next(nowMs);
    while (bar !== null && this.isKnown(bar.timeMs)) bar = this.market.next(nowMs);
    return bar;
  }

  private isKnown(timeMs: number): boolean {
    while ((this.stretches[this.stretch]?.toMs ?? Infinity) < timeMs) this.stretch++;
    const stretch = this.stretches[this.stretch];
    return stretch !== undefined && timeMs > stretch.afterMs;
  }
}
