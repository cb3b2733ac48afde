import type { QuoteBlock, QuoteSource } from '../quote-source';
import type { BarRecording, TickRecording } from './recordings';

const MINUTE_MS = 60_000;
/** Where in its minute a bar's four quotes stand. */
const BAR_QUOTE_OFFSETS = [0, 20_000, 40_000, 59_000] as const;

/** Recorded ticks, minute by minute. */
export class ReplayTicks implements QuoteSource {
  constructor(private readonly ticks: TickRecording) {}

  read(minute: number, into: QuoteBlock): void {
    into.clear();
    const { times, bids, asks } = this.ticks;
    const until = (minute + 1) * MINUTE_MS;
    for (let at = firstAtOrAfter(times, minute * MINUTE_MS); at < times.length; at++) {
      const time = times[at] ?? 0;
      if (time >= until) break;
      const bid = bids[at] ?? 0;
      into.push(time, bid, Math.max(bid, asks[at] ?? bid));
    }
  }

  nextMinute(minute: number): number | null {
    return nextMinute(this.ticks.times, minute);
  }

  previousMinute(minute: number): number | null {
    return previousMinute(this.ticks.times, minute);
  }
}

/**
 * Recorded one-minute bars of bid and ask as four quotes a bar: open, then low and high in the order that keeps the
 * path shortest, then close. The ask follows the order of the bid.
 */
export class ReplayBars implements QuoteSource {
  constructor(
    private readonly bid: BarRecording,
    private readonly ask: BarRecording,
  ) {}

  read(minute: number, into: QuoteBlock): void {
    into.clear();
    const time = minute * MINUTE_MS;
    const bidAt = firstAtOrAfter(this.bid.times, time);
    const askAt = firstAtOrAfter(this.ask.times, time);
    if (this.bid.times[bidAt] !== time || this.ask.times[askAt] !== time) return;
    const bids = path(this.bid, bidAt, lowFirst(this.bid, bidAt));
    const asks = path(this.ask, askAt, lowFirst(this.bid, bidAt));
    for (const [at, offset] of BAR_QUOTE_OFFSETS.entries()) {
      const bid = bids[at] ?? 0;
      into.push(time + offset, bid, Math.max(bid, asks[at] ?? bid));
    }
  }

  nextMinute(minute: number): number | null {
    return nextMinute(this.bid.times, minute);
  }

  previousMinute(minute: number): number | null {
    return previousMinute(this.bid.times, minute);
  }
}

function lowFirst(bars: BarRecording, at: number): boolean {
  const open = bars.open[at] ?? 0;
  const close = bars.close[at] ?? 0;
  const high = bars.high[at] ?? 0;
  const low = bars.low[at] ?? 0;
  return open - low + (high - close) <= high - open + (close - low);
}

function path(bars: BarRecording, at: number, lowComesFirst: boolean): readonly number[] {
  const high = bars.high[at] ?? 0;
  const low = bars.low[at] ?? 0;
  const middle = lowComesFirst ? [low, high] : [high, low];
  return [bars.open[at] ?? 0, ...middle, bars.close[at] ?? 0];
}

function nextMinute(times: Float64Array, minute: number): number | null {
  const time = times[firstAtOrAfter(times, minute * MINUTE_MS)];
  return time === undefined ? null : Math.floor(time / MINUTE_MS);
}

function previousMinute(times: Float64Array, minute: number): number | null {
  const time = times[firstAtOrAfter(times, (minute + 1) * MINUTE_MS) - 1];
  return time === undefined ? null : Math.floor(time / MINUTE_MS);
}

/** Index of the first time that is not before `time`; the length when there is none. */
function firstAtOrAfter(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
