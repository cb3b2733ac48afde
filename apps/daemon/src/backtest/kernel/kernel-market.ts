import { QuoteBlock, type Listing, type RecordedTimes } from '@libs/simulator';
import { timeframeOf } from '@libs/terminal-client';
import type { Stream } from '@libs/strategy';
import { eventTimeMs } from '../../core/event-time';
import { barEvent } from '../../market-data/closed-bar';
import type { BarNumbers } from '../../strategies/worker/bar-numbers';
import type { CurveColumns } from '../curve';
import { BacktestMarket, type MarketOptions } from '../backtest-market';
import { startOf } from '../period';
import { NeedsEngineError } from './needs-engine-error';

const minuteMs = 60_000;
const utcDayMs = 86_400_000;

/** Every quote of a symbol in columns, ascending by time. */
export interface KernelQuotes {
  readonly count: number;
  /** UTC milliseconds. */
  readonly times: Float64Array;
  readonly bids: Float64Array;
  readonly asks: Float64Array;
  /** 1 at the first quote of a minute. */
  readonly firsts: Uint8Array;
  /** 1 where the price takes every value between the quote before and this one: both are of one bar. */
  readonly insides: Uint8Array;
}

/** The minutes that have quotes, ascending, with the range of the prices in each. */
export interface KernelMinutes {
  readonly count: number;
  /** Index of the first quote of each minute, and after the last the number of all quotes. */
  readonly starts: Int32Array;
  /** 1 for the last one of a UTC day. */
  readonly dayEnds: Uint8Array;
  readonly bidLows: Float64Array;
  readonly bidHighs: Float64Array;
  readonly askLows: Float64Array;
  readonly askHighs: Float64Array;
}

/** The whole bars of a stream in the order in which they close. */
export interface KernelBars {
  readonly count: number;
  readonly rows: BarNumbers;
  /** Index of the quote with which each bar has closed. */
  readonly closedAt: Int32Array;
}

/** What is read of a market once for all runs over it: its prices, and the terms of the broker. */
export class KernelMarket {
  /** Memory for the equity of one run at a time: taken anew for each, it would be collected all the time. */
  readonly curve: CurveColumns;
  /** Of all prices. */
  readonly range: {
    readonly bidLow: number;
    readonly bidHigh: number;
    readonly askLow: number;
    readonly askHigh: number;
  };

  private constructor(
    readonly stream: Stream,
    readonly quotes: KernelQuotes,
    readonly minutes: KernelMinutes,
    readonly bars: KernelBars,
    readonly listing: Listing,
    /** Ends of the server's days from the first quote on, in UTC milliseconds. */
    readonly dayEnds: Float64Array,
    private readonly times: RecordedTimes,
  ) {
    // A point for each minute, a day's last one, and those of start and end.
    const most = minutes.count + dayEnds.length + 4;
    this.curve = { times: new Float64Array(most), values: new Float64Array(most) };
    const { bidLows, bidHighs, askLows, askHighs } = minutes;
    this.range = {
      bidLow: extremeOf(bidLows, Math.min),
      bidHigh: extremeOf(bidHighs, Math.max),
      askLow: extremeOf(askLows, Math.min),
      askHigh: extremeOf(askHighs, Math.max),
    };
  }

  /**
   * Reads the market of one stream.
   * @throws NeedsEngineError for prices that the kernel does not know, and as {@link BacktestMarket.open}
   */
  static async open(options: Omit<MarketOptions, 'pastBars' | 'fromMs' | 'toMs'>): Promise<KernelMarket> {
    const [stream, another] = options.streams;
    if (!stream || another) throw new NeedsEngineError('it has more than one stream');
    const market = await BacktestMarket.open({ ...options, pastBars: {}, fromMs: null, toMs: null });
    try {
      const symbols = Object.keys(market.assumptions.symbols);
      if (symbols.length > 1) throw new NeedsEngineError('the price files have more than one symbol');
      const listing = market.terminal.listing(stream.symbol);
      if (listing?.source.limitFill === undefined) throw new NeedsEngineError('the prices are ticks');
      const quotes = quotesOf(listing, market.times);
      const bars = barsOf(market, stream, quotes);
      const dayEnds = dayEndsOf(listing, market.times);
      return new KernelMarket(stream, quotes, minutesOf(quotes), bars, listing, dayEnds, market.times);
    } finally {
      await market.close();
    }
  }

  /** First and last instant of a run, in UTC milliseconds. @throws as {@link BacktestMarket.open} */
  spanOf(
    period: Pick<MarketOptions, 'fromMs' | 'toMs' | 'leadMs'>,
    pastBars: number,
  ): { startMs: number; endMs: number } {
    const { stream, times } = this;
    const timeframe = timeframeOf(stream.timeframe);
    const past = timeframe === null ? [] : [{ stream, symbol: stream.symbol, timeframe, count: pastBars }];
    const startMs = startOf(times, period, past);
    return { startMs, endMs: Math.min(period.toMs === null ? times.lastMs : period.toMs - 1, times.lastMs) };
  }

  /** Number of the quotes up to an instant. */
  quotesUntil(utcMs: number): number {
    return countUpTo(this.quotes.times, this.quotes.count, utcMs);
  }

  /** Number of the bars that have closed with so many quotes. */
  barsClosedBy(quotes: number): number {
    return countUpTo(this.bars.closedAt, this.bars.count, quotes - 1);
  }

  /** The first minute that begins with a quote, or after it. */
  minuteAfter(quote: number): number {
    return countUpTo(this.minutes.starts, this.minutes.count, quote - 1);
  }

  /** The first minute that has a quote at an instant, or after it. */
  minuteAt(utcMs: number): number {
    let quote = this.quotesUntil(utcMs);
    while (quote > 0 && this.quotes.times[quote - 1] === utcMs) quote--;
    return quote === this.quotes.count ? this.minutes.count : this.minuteOf(quote);
  }

  /** The minute that a quote belongs to. */
  minuteOf(quote: number): number {
    return countUpTo(this.minutes.starts, this.minutes.count, quote) - 1;
  }
}

/** How many of some ascending values are at most a limit. */
function countUpTo(values: Float64Array | Int32Array, count: number, limit: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function quotesOf({ source }: Listing, { firstMs, lastMs }: RecordedTimes): KernelQuotes {
  const block = new QuoteBlock();
  const [times, bids, asks, firsts, insides]: number[][] = [[], [], [], [], []];
  const until = Math.floor(lastMs / minuteMs);
  let minute = source.nextMinute(Math.floor(firstMs / minuteMs));
  for (; minute !== null && minute <= until; minute = source.nextMinute(minute + 1)) {
    source.read(minute, block);
    for (let at = 0; at < block.count; at++) {
      times?.push(block.times[at] ?? 0);
      bids?.push(block.bids[at] ?? 0);
      asks?.push(block.asks[at] ?? 0);
      firsts?.push(at === 0 ? 1 : 0);
      insides?.push(at > 0 || block.isContinued ? 1 : 0);
    }
  }
  return {
    count: times?.length ?? 0,
    times: column(times),
    bids: column(bids),
    asks: column(asks),
    firsts: Uint8Array.from(firsts ?? []),
    insides: Uint8Array.from(insides ?? []),
  };
}

function minutesOf({ count, times, bids, asks, firsts }: KernelQuotes): KernelMinutes {
  const starts: number[] = [];
  for (let at = 0; at < count; at++) if (firsts[at] === 1) starts.push(at);
  const range = (prices: Float64Array, extreme: (a: number, b: number) => number): Float64Array => {
    const extremes = new Float64Array(starts.length);
    for (let minute = 0, at = 0; minute < starts.length; minute++) {
      let found = prices[at++] ?? 0;
      for (const end = starts[minute + 1] ?? count; at < end; at++) found = extreme(found, prices[at] ?? 0);
      extremes[minute] = found;
    }
    return extremes;
  };
  const [low, high] = [Math.min, Math.max];
  const dayOf = (minute: number): number => Math.floor((times[starts[minute] ?? count] ?? Infinity) / utcDayMs);
  return {
    count: starts.length,
    starts: Int32Array.from([...starts, count]),
    dayEnds: Uint8Array.from(starts, (_, minute) => (dayOf(minute) === dayOf(minute + 1) ? 0 : 1)),
    bidLows: range(bids, low),
    bidHighs: range(bids, high),
    askLows: range(asks, low),
    askHighs: range(asks, high),
  };
}

function extremeOf(prices: Float64Array, extreme: (a: number, b: number) => number): number {
  return prices.length === 0 ? Number.NaN : prices.reduce((a, b) => extreme(a, b));
}

function barsOf(market: BacktestMarket, stream: Stream, quotes: KernelQuotes): KernelBars {
  const { symbol } = stream;
  const timeframe = timeframeOf(stream.timeframe);
  const closing = timeframe && market.terminal.closingBars(symbol, timeframe, market.times.firstMs);
  if (timeframe === null || !closing) throw new NeedsEngineError(`there are no bars of ${symbol}@${stream.timeframe}`);
  // A bar that begins before the prices is not whole, and is left out.
  const cutMs = market.times.cutBarMs(symbol, timeframe) ?? -Infinity;
  const numbers: number[] = [];
  const closedAt: number[] = [];
  for (let at = 0; at < quotes.count; at++) {
    if (quotes.firsts[at] !== 1) continue;
    const timeMs = quotes.times[at] ?? 0;
    for (let bar = closing.next(timeMs); bar !== null; bar = closing.next(timeMs)) {
      const event = barEvent(stream, bar, false);
      if (bar.serverMs <= cutMs) continue;
      const { timeMs: openMs, open, high, low, close, tickVolume } = event.bar;
      numbers.push(openMs, event.serverMs, eventTimeMs(event) ?? 0, open, high, low, close, tickVolume);
      closedAt.push(at);
    }
  }
  return { count: closedAt.length, rows: column(numbers), closedAt: Int32Array.from(closedAt) };
}

function dayEndsOf({ clock }: Listing, { firstMs, lastMs }: RecordedTimes): Float64Array {
  const ends: number[] = [];
  for (let endMs = clock.nextMidnightUtcMs(firstMs); endMs <= lastMs; endMs = clock.nextMidnightUtcMs(endMs)) {
    ends.push(endMs);
  }
  return Float64Array.from(ends);
}

function column(values: readonly number[] | undefined): Float64Array {
  return new Float64Array(values ?? []);
}
