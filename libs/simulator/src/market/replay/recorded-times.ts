import { QuoteBlock } from '../../quotes/quote-source';
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

/** When the quotes of a replay come, without the quotes: for code that moves a market on from one to the next. */
export interface RecordedTimes {
  /** UTC milliseconds of the first and the last quote of any symbol. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** How many minutes have quotes, counted for the symbol with the fewest. */
  readonly minutes: number;
  /** Whether any symbol is recorded as bars; the others as ticks. */
  readonly hasBars: boolean;
  /**
   * The quotes from one instant, left out, to another, minute by minute; minutes without quotes are left out. Each minute
   * is the same object, filled anew.
   */
  between(afterMs: number, toMs: number): Generator<RecordedMinute>;
}

/** The times of recorded prices. */
export function recordedTimes(recordings: readonly SymbolRecording[]): RecordedTimes {
  const replays = replaysOf(recordings);
  return {
    firstMs: Math.min(...replays.map(({ firstMs }) => firstMs)),
    lastMs: Math.max(...replays.map(({ lastMs }) => lastMs)),
    minutes: Math.min(...replays.map(({ times }) => minutesOf(times))),
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

function nextOf(replays: readonly Replay[], minute: number): number | null {
  let first: number | null = null;
  for (const { source } of replays) {
    const next = source.nextMinute(minute);
    if (next !== null && (first === null || next < first)) first = next;
  }
  return first;
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
