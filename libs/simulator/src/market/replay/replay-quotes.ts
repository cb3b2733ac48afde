import type { LimitFill, QuoteBlock, QuoteSource } from '../../quotes/quote-source';
import type { BarRecording, TickRecording } from './recordings';
import { TimeColumn } from './time-column';

const MINUTE_MS = 60_000;

/** Recorded ticks, minute by minute. */
export class ReplayTicks implements QuoteSource {
  private readonly times: TimeColumn;

  constructor(private readonly ticks: TickRecording) {
    this.times = new TimeColumn(ticks.times);
  }

  read(minute: number, into: QuoteBlock): void {
    into.clear();
    const { times, bids, asks } = this.ticks;
    const until = (minute + 1) * MINUTE_MS;
    for (let at = this.times.firstAtOrAfter(minute * MINUTE_MS); at < times.length; at++) {
      const time = times[at] ?? 0;
      if (time >= until) break;
      const bid = bids[at] ?? 0;
      into.push(time, bid, Math.max(bid, asks[at] ?? bid));
    }
  }

  nextMinute(minute: number): number | null {
    return this.times.nextMinute(minute);
  }

  previousMinute(minute: number): number | null {
    return this.times.previousMinute(minute);
  }
}

/**
 * Recorded one-minute bars of bid and ask as four quotes a bar, at seconds 0, 20, 40 and 59: open, then low and high in the
 * order that keeps the path shortest, then close. The ask follows the order of the bid. Between the four the path is
 * continuous.
 */
export class ReplayMinutes implements QuoteSource {
  private readonly bidTimes: TimeColumn;
  private readonly askTimes: TimeColumn;

  constructor(
    private readonly bid: BarRecording,
    private readonly ask: BarRecording,
    readonly limitFill: LimitFill,
  ) {
    this.bidTimes = new TimeColumn(bid.times);
    this.askTimes = new TimeColumn(ask.times);
  }

  read(minute: number, into: QuoteBlock): void {
    into.clear();
    const { bid, ask } = this;
    const time = minute * MINUTE_MS;
    const bidAt = this.bidTimes.firstAtOrAfter(time);
    const askAt = this.askTimes.firstAtOrAfter(time);
    if (bid.times[bidAt] !== time || ask.times[askAt] !== time) return;
    pushQuote(into, time, bid.open[bidAt], ask.open[askAt]);
    if (isLowFirst(bid, bidAt)) {
      pushQuote(into, time + 20_000, bid.low[bidAt], ask.low[askAt]);
      pushQuote(into, time + 40_000, bid.high[bidAt], ask.high[askAt]);
    } else {
      pushQuote(into, time + 20_000, bid.high[bidAt], ask.high[askAt]);
      pushQuote(into, time + 40_000, bid.low[bidAt], ask.low[askAt]);
    }
    pushQuote(into, time + 59_000, bid.close[bidAt], ask.close[askAt]);
  }

  nextMinute(minute: number): number | null {
    return this.bidTimes.nextMinute(minute);
  }

  previousMinute(minute: number): number | null {
    return this.bidTimes.previousMinute(minute);
  }
}

/** Adds a quote of a bar; an ask below the bid is raised to it. */
export function pushQuote(into: QuoteBlock, timeMs: number, bid = 0, ask = bid): void {
  into.push(timeMs, bid, Math.max(bid, ask));
}

/** Whether the path of a bar through its four prices is shorter, or as short, with the low before the high. */
export function isLowFirst(bars: BarRecording, at: number): boolean {
  const open = bars.open[at] ?? 0;
  const close = bars.close[at] ?? 0;
  const high = bars.high[at] ?? 0;
  const low = bars.low[at] ?? 0;
  return open - low + (high - close) <= high - open + (close - low);
}
