import type { SymbolSpec } from '../../symbols/symbol-spec';
import type { TradingHours } from '../../time/trading-hours';
import type { QuoteBlock, QuoteSource } from '../../quotes/quote-source';
import { activityOf, type AssetPath, FIRST_DAY } from './asset-path';
import type { MinuteGrid } from './minute-grid';
import { hash32, hashText, Random } from './random';

// Bound once: looking globals up is slow in the sandbox that tests run in.
const { ceil, exp, floor, max, round } = Math;

const DAY_MINUTES = 1_440;
const MINUTE_MS = 60_000;
const FIRST_MINUTE = FIRST_DAY * DAY_MINUTES;
/** No schedule is closed for longer than this, in minutes. */
const LONGEST_CLOSE = 14 * DAY_MINUTES;

/** Quotes of its own a minute that a symbol has at activity 1, beside those that all symbols share. */
const OWN_QUOTES = 15;

/** The generated quotes of one symbol. */
export class GeneratedQuotes implements QuoteSource {
  private readonly key: number;
  private readonly scale: number;
  private readonly points: number;
  private lastBid = 0;
  private lastAsk = 0;

  constructor(
    private readonly seed: number,
    private readonly spec: SymbolSpec,
    private readonly hours: TradingHours,
    private readonly grid: MinuteGrid,
    private readonly base: AssetPath,
    private readonly quote: AssetPath,
  ) {
    this.key = hashText(spec.name);
    this.scale = 10 ** spec.digits;
    this.points = max(1, round(spec.trade_tick_size * this.scale));
  }

  read(minute: number, into: QuoteBlock): void {
    into.clear();
    if (minute < FIRST_MINUTE || !this.hours.isOpen(minute * MINUTE_MS)) return;
    const times = this.grid.timesOf(minute);
    const bases = this.grid.valuesOf(this.base, minute);
    const quotes = this.grid.valuesOf(this.quote, minute);
    const random = new Random(hash32(this.seed, 5, this.key, minute));
    const usualSpread = this.spec.market.spread * spreadFactor(minute % DAY_MINUTES);
    const own = this.ownTimes(minute);
    this.lastBid = 0;
    this.lastAsk = 0;
    let next = 0;
    for (let at = 0; at < times.length; at++) {
      const timeMs = times[at] ?? 0;
      const mid = exp((bases[at] ?? 0) - (quotes[at] ?? 0)) * this.scale;
      while (next < own.length && (own[next] ?? 0) <= timeMs) next++;
      this.quoteAt(timeMs, mid, usualSpread * spreadNoise(random), into);
      const untilMs = at + 1 < times.length ? (times[at + 1] ?? 0) : Number.POSITIVE_INFINITY;
      // The mid moves at the shared instants alone, so a cross and its legs agree in between as well.
      for (; next < own.length && (own[next] ?? 0) < untilMs; next++) {
        this.quoteAt(own[next] ?? 0, mid, usualSpread * spreadNoise(random), into);
      }
    }
  }

  /** Instants at which this symbol is quoted anew by itself, with another spread: symbols do not tick in step. */
  private ownTimes(minute: number): Float64Array {
    const random = new Random(hash32(this.seed, 6, this.key, minute));
    const count = round(OWN_QUOTES * activityOf(minute % DAY_MINUTES) * (0.6 + 0.8 * random.next()));
    const times = new Float64Array(count);
    const width = MINUTE_MS / max(1, count);
    for (let at = 0; at < count; at++) times[at] = minute * MINUTE_MS + floor((at + random.next()) * width);
    return times;
  }

  /** A quote around a mid, both in points; left out when it is the one before. */
  private quoteAt(timeMs: number, mid: number, spread: number, into: QuoteBlock): void {
    const bid = floor((mid - spread / 2) / this.points) * this.points;
    const ask = max(bid + this.points, ceil((mid + spread / 2) / this.points) * this.points);
    if (bid === this.lastBid && ask === this.lastAsk) return;
    this.lastBid = bid;
    this.lastAsk = ask;
    into.push(timeMs, bid / this.scale, ask / this.scale);
  }

  nextMinute(minute: number): number | null {
    let at = max(minute, FIRST_MINUTE);
    for (let searched = 0; searched <= LONGEST_CLOSE; searched++, at++) {
      if (this.hours.isOpen(at * MINUTE_MS)) return at;
    }
    return null;
  }

  previousMinute(minute: number): number | null {
    let at = minute;
    for (let searched = 0; searched <= LONGEST_CLOSE && at >= FIRST_MINUTE; searched++, at--) {
      if (this.hours.isOpen(at * MINUTE_MS)) return at;
    }
    return null;
  }
}

/** A share of the usual spread: mostly near it, now and then twice as wide. */
function spreadNoise(random: Random): number {
  const noise = random.next();
  return 0.75 + 0.4 * noise + (noise > 0.985 ? 1.2 : 0);
}

/** Wide at the rollover, a little wider in quiet hours. */
function spreadFactor(minuteOfDay: number): number {
  const hour = floor(minuteOfDay / 60);
  if (hour === 21) return 3.2;
  return 1 + 0.55 * max(0, 1 - activityOf(minuteOfDay));
}
