import { countText, Timeframe } from '@libs/terminal-client';
import { bucketStart } from '../../bars/buckets';
import { QuoteBlock } from '../../quotes/quote-source';
import type { ServerClock } from '../../time/server-clock';
import { timeframeName } from './bar-length';
import { type Replay, replaysOf, type SymbolRecording } from './replay-files';

const minuteMs = 60_000;

/** A minute in which at least one symbol is quoted. */
export interface RecordedMinute {
  /** How many instants have quotes; only so many entries of the columns mean anything. */
  readonly count: number;
  /** The instants of quotes of any symbol, ascending, in UTC milliseconds. */
  readonly times: Float64Array;
  /** 1 at those at which a symbol is quoted first: then its bars before the minute close. */
  readonly firsts: Uint8Array;
}

type ZoneClock = Pick<ServerClock, 'serverMs' | 'utcMs'>;

/** Past bars of a symbol that a market has to have behind it. */
export interface PastBars {
  readonly symbol: string;
  readonly timeframe: Timeframe;
  readonly count: number;
}

/** When the quotes of a replay come, without the quotes: for code that moves a market on from one to the next. */
export interface RecordedTimes {
  /** UTC milliseconds of the first and the last quote of any symbol. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** How many bars or minutes with ticks there are, of the symbol with the fewest: `240 minutes of prices` or `12 H1 bars`. */
  readonly amount: string;
  /** Whether any symbol is recorded as bars; the others as ticks. */
  readonly hasBars: boolean;
  /**
   * The quotes from one instant, left out, to another, minute by minute; minutes without quotes are left out. Each minute
   * is the same object, filled anew.
   */
  between(afterMs: number, toMs: number): Generator<RecordedMinute>;
  /**
   * The first instant at which every symbol has had a price, and so many whole bars have closed; null when the prices end
   * before. A bar is whole if it does not open before the first recorded bar or the minute of the first tick of the symbol.
   * @param leadMs milliseconds at the start of each symbol whose prices only complete the bars that follow
   */
  readyMs(past: readonly PastBars[], leadMs: number): number | null;
  /** Open of the first bar of a symbol on the server's clock, in milliseconds, if it is not whole; else null. */
  cutBarMs(symbol: string, timeframe: Timeframe): number | null;
}

/** The times of recorded prices. @param clock of the server */
export function recordedTimes(recordings: readonly SymbolRecording[], clock: ZoneClock): RecordedTimes {
  const replays = replaysOf(recordings, clock);
  return {
    firstMs: Math.min(...replays.map(({ firstMs }) => firstMs)),
    lastMs: Math.max(...replays.map(({ lastMs }) => lastMs)),
    amount: amountOf(replays),
    hasBars: replays.some(({ source }) => source.limitFill !== undefined),
    *between(afterMs, toMs) {
      const into = new MinuteTimes(replays);
      let minute: number | null = Math.floor(afterMs / minuteMs);
      while ((minute = nextOf(replays, minute)) !== null && minute * minuteMs <= toMs) {
        into.read(minute, afterMs, toMs);
        if (into.count > 0) yield into;
        minute++;
      }
    },
    readyMs(past, leadMs) {
      const firsts = replays.map((replay) => firstAfter(replay, leadMs));
      const closed = past.flatMap((wanted) => {
        const replay = replays.find(({ symbol }) => symbol === wanted.symbol);
        return replay ? [closedMs(replay, wanted, clock, leadMs)] : [];
      });
      return latest([...firsts, ...closed]);
    },
    cutBarMs(symbol, timeframe) {
      const replay = replays.find((one) => one.symbol === symbol);
      return replay ? cutBar(replay, timeframe, clock) : null;
    },
  };
}

/** The instants of one minute, merged over the symbols. */
class MinuteTimes implements RecordedMinute {
  count = 0;
  times = new Float64Array(64);
  firsts = new Uint8Array(64);
  private readonly block = new QuoteBlock();

  constructor(private readonly replays: readonly Replay[]) {}

  read(minute: number, afterMs: number, toMs: number): void {
    const { block } = this;
    this.count = 0;
    for (const { source } of this.replays) {
      source.read(minute, block);
      let isFirst = true;
      for (let at = 0; at < block.count; at++) {
        const timeMs = block.times[at] ?? 0;
        if (timeMs <= afterMs) continue;
        if (timeMs > toMs) break;
        this.add(timeMs, isFirst);
        isFirst = false;
      }
    }
  }

  /** Inserts an instant where it belongs: nearly always at the end. */
  private add(timeMs: number, isFirst: boolean): void {
    let at = this.count;
    while (at > 0 && (this.times[at - 1] ?? 0) > timeMs) at--;
    if (at > 0 && this.times[at - 1] === timeMs) {
      if (isFirst) this.firsts[at - 1] = 1;
      return;
    }
    if (this.count === this.times.length) this.grow();
    if (at < this.count) {
      this.times.copyWithin(at + 1, at, this.count);
      this.firsts.copyWithin(at + 1, at, this.count);
    }
    this.times[at] = timeMs;
    this.firsts[at] = isFirst ? 1 : 0;
    this.count++;
  }

  private grow(): void {
    const [times, firsts] = [new Float64Array(this.count * 2), new Uint8Array(this.count * 2)];
    times.set(this.times);
    firsts.set(this.firsts);
    Object.assign(this, { times, firsts });
  }
}

/** The latest of some instants; null if one of them never comes. */
function latest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((instant) => instant !== null);
  return known.length < instants.length ? null : Math.max(...known);
}

function firstAfter({ times, firstMs }: Replay, leadMs: number): number | null {
  return leadMs === 0 ? firstMs : (times.find((time) => time >= firstMs + leadMs) ?? null);
}

/** The first price after so many whole bars; null if there is none. */
function closedMs(replay: Replay, { timeframe, count }: PastBars, clock: ZoneClock, leadMs: number): number | null {
  if (count === 0) return firstAfter(replay, leadMs);
  const cutMs = cutBar(replay, timeframe, clock);
  let closed = 0;
  let formingMs: number | null = null;
  for (const time of replay.times) {
    if (time < replay.firstMs + leadMs) continue;
    const barMs = barOpenMs(timeframe, clock, time);
    // In a repeated hour the clock goes back, and the bar that forms takes that hour's prices, too.
    if (formingMs !== null && barMs <= formingMs) continue;
    if (formingMs !== null && formingMs !== cutMs) closed++;
    if (closed === count) return time;
    formingMs = barMs;
  }
  return null;
}

function cutBar({ firstMs, timeframe: recorded }: Replay, timeframe: Timeframe, clock: ZoneClock): number | null {
  const barMs = barOpenMs(timeframe, clock, firstMs);
  return barMs < barOpenMs(recorded ?? Timeframe.M1, clock, firstMs) ? barMs : null;
}

/** Open of the bar that holds an instant, on the server's clock. */
function barOpenMs(timeframe: Timeframe, clock: ZoneClock, timeMs: number): number {
  return bucketStart(timeframe, Math.floor(clock.serverMs(timeMs) / 1_000)) * 1_000;
}

function nextOf(replays: readonly Replay[], minute: number): number | null {
  let first: number | null = null;
  for (const { source } of replays) {
    const next = source.nextMinute(minute);
    if (next !== null && (first === null || next < first)) first = next;
  }
  return first;
}

function amountOf(replays: readonly Replay[]): string {
  const amounts = replays.map(({ times, timeframe }) => ({ count: minutesOf(times), timeframe }));
  const fewest = amounts.reduce((least, amount) => (amount.count < least.count ? amount : least));
  const { count, timeframe } = fewest;
  return timeframe === null || timeframe === Timeframe.M1
    ? `${countText(count, 'minute')} of prices`
    : countText(count, `${timeframeName(timeframe)} bar`);
}

function minutesOf(times: Float64Array): number {
  let minutes = 0;
  let last = -1;
  for (const time of times) {
    const minute = Math.floor(time / minuteMs);
    if (minute !== last) minutes++;
    last = minute;
  }
  return minutes;
}
