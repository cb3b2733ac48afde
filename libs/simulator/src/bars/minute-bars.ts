import { QuoteBlock, type QuoteSource } from '../quotes/quote-source';
import { type BarRow, BarRows } from './bar-rows';

// Bound once: looking globals up is slow in the sandbox that tests run in.
const { floor, max, min, round } = Math;

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
const KEPT_MINUTE_DAYS = 10;
/** More than SIM_HISTORY_DAYS by default: else a read of all of it would make each day anew. */
const KEPT_HOUR_DAYS = 1_200;

interface MinuteDay {
  readonly rows: BarRows;
  /** All quotes up to this instant are in the rows. */
  builtToMs: number;
}

/**
 * One-minute bars of one symbol by UTC day, made from its quotes on demand and kept for the last days asked for. Their
 * `time` is the minute's number since the epoch, UTC.
 */
export class MinuteBars {
  private readonly days = new Map<number, MinuteDay>();
  private readonly hours = new Map<number, BarRows>();
  private readonly block = new QuoteBlock();
  private readonly passing = new BarRows(1);

  constructor(
    private readonly source: QuoteSource,
    private readonly points: number,
  ) {}

  /** The day's minutes up to an instant. Asking with an earlier instant than before makes the day anew. */
  day(day: number, nowMs: number): BarRows {
    let known = this.days.get(day);
    const startMs = day * DAY_MINUTES * MINUTE_MS;
    const wantedMs = min(nowMs, startMs + DAY_MINUTES * MINUTE_MS - 1);
    // A quote of midnight itself is not built yet.
    if (!known || known.builtToMs > wantedMs) known = { rows: new BarRows(256), builtToMs: startMs - 1 };
    this.days.delete(day);
    this.days.set(day, known);
    dropOldest(this.days, KEPT_MINUTE_DAYS);
    if (known.builtToMs < wantedMs) this.extend(known, startMs, wantedMs);
    return known.rows;
  }

  /** The hours of a day that is over, kept long: their `time` is the number of the hour's first minute. */
  hoursOf(day: number): BarRows {
    let rows = this.hours.get(day);
    if (!rows) {
      rows = new BarRows(24);
      const minutes = this.day(day, Number.POSITIVE_INFINITY);
      for (let at = 0; at < minutes.count; at++) {
        const time = minutes.get('time', at);
        rows.add(minutes, at, time - (time % 60));
      }
      this.hours.set(day, rows);
      dropOldest(this.hours, KEPT_HOUR_DAYS);
    }
    return rows;
  }

  /**
   * Folds the minutes from one to another, up to an instant, into the last bar of `into` or a new one of this time. They are
   * not kept, so that a part of a day does not cost the whole of it.
   */
  fold(into: BarRows, time: number, from: number, to: number, nowMs: number): void {
    let minute = this.source.nextMinute(from);
    while (minute !== null && minute <= to) {
      this.source.read(minute, this.block);
      const row = barOf(this.block, minute, nowMs, this.points);
      if (row) {
        this.passing.set(0, row);
        into.add(this.passing, 0, time);
      }
      minute = this.source.nextMinute(minute + 1);
    }
  }

  private extend(day: MinuteDay, startMs: number, toMs: number): void {
    const last = floor(toMs / MINUTE_MS);
    let minute = this.source.nextMinute(floor(max(day.builtToMs, startMs) / MINUTE_MS));
    while (minute !== null && minute <= last) {
      this.source.read(minute, this.block);
      this.addMinute(day.rows, minute, toMs);
      minute = this.source.nextMinute(minute + 1);
    }
    day.builtToMs = toMs;
  }

  private addMinute(rows: BarRows, minute: number, toMs: number): void {
    const row = barOf(this.block, minute, toMs, this.points);
    if (!row) return;
    const isLast = rows.count > 0 && rows.get('time', rows.count - 1) === minute;
    rows.set(isLast ? rows.count - 1 : rows.count, row);
  }
}

/** The bar of a minute's quotes up to an instant, or null when there are none. @param scale points in a price of 1 */
function barOf(block: QuoteBlock, time: number, toMs: number, scale: number): BarRow | null {
  const { times, bids, asks } = block;
  if (block.count === 0 || (times[0] ?? 0) > toMs) return null;
  const open = bids[0] ?? 0;
  const ask = asks[0] ?? 0;
  let high = open;
  let low = open;
  let close = open;
  let askHigh = ask;
  let askLow = ask;
  let spread = ask - open;
  let count = 0;
  while (count < block.count && (times[count] ?? 0) <= toMs) {
    close = bids[count] ?? 0;
    const side = asks[count] ?? 0;
    if (close > high) high = close;
    if (close < low) low = close;
    if (side > askHigh) askHigh = side;
    if (side < askLow) askLow = side;
    if (side - close < spread) spread = side - close;
    count++;
  }
  return { time, open, high, low, close, tickVolume: count, spread: round(spread * scale), askHigh, askLow };
}

function dropOldest(map: Map<number, unknown>, kept: number): void {
  if (map.size <= kept) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
