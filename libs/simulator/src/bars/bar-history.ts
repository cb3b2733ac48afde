import { type BarColumns, Timeframe, timeframeSeconds } from '@libs/terminal-client';
import type { QuoteSource } from '../quotes/quote-source';
import { pointOf, type SymbolSpec } from '../symbols/symbol-spec';
import type { ServerClock } from '../time/server-clock';
import { type BarRow, BarRows } from './bar-rows';
import { bucketStart } from './buckets';
import { FormingDay } from './forming-day';
import { MinuteBars } from './minute-bars';

// Bound once: looking globals up is slow in the sandbox that tests run in.
const { floor, max, min } = Math;

const DAY_MINUTES = 1_440;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Others get their turn after each day of bars: years of history must not hold up a trade, which waits for several turns. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The bars of one symbol, of all 21 timeframes, in server time. */
export class BarHistory {
  private readonly minutes: MinuteBars;
  private readonly today: FormingDay;

  /** @param firstMs where the history begins, in UTC milliseconds */
  constructor(
    spec: SymbolSpec,
    private readonly source: QuoteSource,
    private readonly clock: ServerClock,
    private readonly firstMs: number,
  ) {
    this.minutes = new MinuteBars(source, 1 / pointOf(spec));
    this.today = new FormingDay(this.minutes, clock);
  }

  /** `count` bars ending `start` bars before the forming one, which is the last up to an instant. */
  async fromPosition(timeframe: Timeframe, start: number, count: number, nowMs: number): Promise<BarColumns> {
    const wanted = start + count;
    const pieces: { readonly block: BarRows; readonly from: number }[] = [];
    let buckets = 0;
    let bucketAfter = Number.POSITIVE_INFINITY;
    // Read back until one bucket more than asked for begins: then the earliest one asked for is whole.
    for (let day = this.lastDay(nowMs); day !== null && buckets <= wanted; day = this.dayBefore(day)) {
      if (pieces.length > 0) await turn();
      const block = this.blockOf(timeframe, day, nowMs);
      const repeats = this.clock.repeatsTimeOn(day);
      let from = block.count;
      for (; from > 0; from--) {
        // It folds into a bar before it, or makes one more than is counted.
        if (repeats && this.clock.hasShown(block.get('time', from - 1) * 60_000)) continue;
        const bucket = bucketStart(timeframe, this.serverSeconds(block.get('time', from - 1)));
        if (bucket >= bucketAfter) continue;
        buckets++;
        if (buckets > wanted) break;
        bucketAfter = bucket;
      }
      pieces.push({ block, from });
    }
    const rows = new BarRows(min(wanted + 16, 4_096));
    for (const { block, from } of pieces.reverse()) this.addBlock(rows, timeframe, block, from);
    const end = max(0, rows.count - start);
    return columns(rows, max(0, end - count), end);
  }

  /** Bars that open from `from` to `to`, both in server seconds. */
  async range(timeframe: Timeframe, from: number, to: number, nowMs: number): Promise<BarColumns> {
    const rows = new BarRows();
    const length = timeframeSeconds(timeframe) ?? 31 * 86_400;
    const firstDay = floor(max(this.firstMs, this.clock.utcMs(from * 1_000) - HOUR_MS) / DAY_MS);
    const lastMs = min(nowMs, this.clock.utcMs((to + length) * 1_000) + HOUR_MS);
    let days = 0;
    for (let day = this.dayFrom(firstDay); day !== null && day * DAY_MS <= lastMs; day = this.dayFrom(day + 1)) {
      if (++days > 1) await turn();
      this.addBlock(rows, timeframe, this.blockOf(timeframe, day, nowMs), 0, from);
    }
    let end = rows.count;
    while (end > 0 && rows.get('time', end - 1) > to) end--;
    return columns(rows, 0, end);
  }

  /** The server day's bar so far, with the ask's extremes; null when the day has had no quote. */
  formingDay(nowMs: number): BarRow | null {
    return this.today.at(nowMs);
  }

  /** Folds a block into bars, from an index on and from a bar's open (server seconds) on. */
  private addBlock(rows: BarRows, timeframe: Timeframe, block: BarRows, from: number, open = 0): void {
    for (let at = from; at < block.count; at++) {
      const time = bucketStart(timeframe, this.serverSeconds(block.get('time', at)));
      // After the first bar, an earlier time is of a repeated hour and folds into the last bar.
      if (time >= open || rows.count > 0) rows.add(block, at, time);
    }
  }

  /** A day's minutes, or its hours where those do: the day is over, and hours of the server are hours of UTC. */
  private blockOf(timeframe: Timeframe, day: number, nowMs: number): BarRows {
    const over = (day + 1) * DAY_MS <= nowMs;
    const wholeHours =
      this.clock.offsetMs(day * DAY_MS) % HOUR_MS === 0 && this.clock.offsetMs((day + 1) * DAY_MS - 1) % HOUR_MS === 0;
    const hourly = timeframe >= Timeframe.H1 && over && wholeHours;
    return hourly ? this.minutes.hoursOf(day) : this.minutes.day(day, nowMs);
  }

  private serverSeconds(minute: number): number {
    return this.clock.serverMs(minute * 60_000) / 1_000;
  }

  private lastDay(nowMs: number): number | null {
    return this.dayUpTo(floor(nowMs / 60_000));
  }

  private dayBefore(day: number): number | null {
    return this.dayUpTo(day * DAY_MINUTES - 1);
  }

  private dayUpTo(minute: number): number | null {
    const found = this.source.previousMinute(minute);
    if (found === null) return null;
    const day = floor(found / DAY_MINUTES);
    return (day + 1) * DAY_MS <= this.firstMs ? null : day;
  }

  private dayFrom(day: number): number | null {
    const found = this.source.nextMinute(day * DAY_MINUTES);
    return found === null ? null : floor(found / DAY_MINUTES);
  }
}

function columns(rows: BarRows, from: number, to: number): BarColumns {
  return {
    time: rows.slice('time', from, to),
    open: rows.slice('open', from, to),
    high: rows.slice('high', from, to),
    low: rows.slice('low', from, to),
    close: rows.slice('close', from, to),
    tick_volume: rows.slice('tickVolume', from, to),
    spread: rows.slice('spread', from, to),
    real_volume: new Float64Array(to - from),
  };
}
