import { Timeframe, timeframeSeconds } from '@libs/terminal-client';
import { bucketStart } from '../../bars/buckets';
import type { LimitFill, QuoteBlock, QuoteSource } from '../../quotes/quote-source';
import type { ServerClock } from '../../time/server-clock';
import type { BarRecording } from './recordings';
import { isLowFirst, pushQuote } from './replay-quotes';
import { TimeColumn } from './time-column';

const [minuteMs, dayMs] = [60_000, 86_400_000];
const quotesOfBar = 4;
/** Days of a week in which its quotes come: a week that opens on a Sunday or a Monday ends before the weekend. */
const tradedDays = 5;
const lowFirst = ['open', 'low', 'high', 'close'] as const;
const highFirst = ['open', 'high', 'low', 'close'] as const;

/**
 * Recorded bars of bid and ask, longer than a minute, as four quotes a bar, as {@link ReplayMinutes} has them: at the open of
 * the bar, after a third and two thirds of it, and a second before its end. A bar ends where the bar of the server's clock ends
 * in which it opens, or where the next one opens, so that each bar of its own timeframe has the quotes of one recorded bar.
 */
export class ReplayBars implements QuoteSource {
  private readonly bidTimes: TimeColumn;
  private readonly askTimes: TimeColumn;
  /** Times of the quotes of a bar, and its index. */
  private readonly quoteTimes = new Float64Array(quotesOfBar);
  private timed = -1;

  constructor(
    private readonly bid: BarRecording,
    private readonly ask: BarRecording,
    private readonly timeframe: Timeframe,
    private readonly clock: Pick<ServerClock, 'serverMs' | 'utcMs'>,
    readonly limitFill: LimitFill,
  ) {
    this.bidTimes = new TimeColumn(bid.times);
    this.askTimes = new TimeColumn(ask.times);
  }

  /** UTC milliseconds of the last quote. */
  get lastMs(): number {
    return this.timesOf(this.bid.times.length - 1)[quotesOfBar - 1] ?? 0;
  }

  read(minute: number, into: QuoteBlock): void {
    into.clear();
    const { bid, ask } = this;
    const [fromMs, untilMs] = [minute * minuteMs, (minute + 1) * minuteMs];
    const bidAt = this.bidTimes.firstAtOrAfter(untilMs) - 1;
    const openMs = bid.times[bidAt];
    if (openMs === undefined) return;
    const askAt = this.askTimes.firstAtOrAfter(openMs);
    if (ask.times[askAt] !== openMs) return;
    const times = this.timesOf(bidAt);
    for (const [at, side] of (isLowFirst(bid, bidAt) ? lowFirst : highFirst).entries()) {
      const timeMs = times[at] ?? 0;
      if (timeMs < fromMs || timeMs >= untilMs) continue;
      if (into.count === 0) into.isContinued = at > 0;
      pushQuote(into, timeMs, bid[side][bidAt], ask[side][askAt]);
    }
  }

  nextMinute(minute: number): number | null {
    const fromMs = minute * minuteMs;
    const next = this.bidTimes.firstAtOrAfter(fromMs);
    const within = next === 0 ? undefined : this.timesOf(next - 1).find((timeMs) => timeMs >= fromMs);
    return minuteOf(within ?? this.bid.times[next]);
  }

  previousMinute(minute: number): number | null {
    const untilMs = (minute + 1) * minuteMs;
    const at = this.bidTimes.firstAtOrAfter(untilMs) - 1;
    return at === -1 ? null : minuteOf(this.timesOf(at).findLast((timeMs) => timeMs < untilMs));
  }

  /** Kept for the bar that was asked for last. */
  private timesOf(bar: number): Float64Array {
    const { quoteTimes } = this;
    if (bar === this.timed) return quoteTimes;
    const openMs = this.bid.times[bar] ?? 0;
    const lengthMs = Math.min(this.endMs(openMs), this.bid.times[bar + 1] ?? Infinity) - openMs;
    for (let at = 0; at < quotesOfBar - 1; at++) {
      quoteTimes[at] = openMs + Math.floor((lengthMs * at) / (quotesOfBar - 1) / 1_000) * 1_000;
    }
    quoteTimes[quotesOfBar - 1] = openMs + Math.max(0, lengthMs - 1_000);
    this.timed = bar;
    return quoteTimes;
  }

  private endMs(openMs: number): number {
    const { timeframe, clock } = this;
    const start = bucketStart(timeframe, Math.floor(clock.serverMs(openMs) / 1_000));
    const lengthMs = (timeframeSeconds(timeframe) ?? 0) * 1_000;
    const endMs = clock.utcMs(lengthMs === 0 ? monthAfter(start) : start * 1_000 + lengthMs);
    return timeframe === Timeframe.W1 ? Math.min(endMs, openMs + tradedDays * dayMs) : endMs;
  }
}

/** The first instant of the next month, of seconds on the server's clock. */
function monthAfter(seconds: number): number {
  const date = new Date(seconds * 1_000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

function minuteOf(timeMs: number | undefined): number | null {
  return timeMs === undefined ? null : Math.floor(timeMs / minuteMs);
}
