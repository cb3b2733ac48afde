import type { SymbolSpec } from '../../symbols/symbol-spec';
import type { TradingHours } from '../../time/trading-hours';
import type { QuoteBlock, QuoteSource } from '../quote-source';
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

/** The generated quotes of one symbol. */
export class GeneratedQuotes implements QuoteSource {
  private readonly key: number;
  private readonly scale: number;
  private readonly points: number;

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
    let lastBid = 0;
    let lastAsk = 0;
    for (let at = 0; at < times.length; at++) {
      const mid = exp((bases[at] ?? 0) - (quotes[at] ?? 0)) * this.scale;
      const noise = random.next();
      // Mostly near the usual spread, now and then twice as wide.
      const half = (usualSpread * (0.75 + 0.4 * noise + (noise > 0.985 ? 1.2 : 0))) / 2;
      const bid = floor((mid - half) / this.points) * this.points;
      const ask = max(bid + this.points, ceil((mid + half) / this.points) * this.points);
      if (bid === lastBid && ask === lastAsk) continue;
      lastBid = bid;
      lastAsk = ask;
      into.push(times[at] ?? 0, bid / this.scale, ask / this.scale);
    }
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

/** Wide at the rollover, a little wider in quiet hours. */
function spreadFactor(minuteOfDay: number): number {
  const hour = floor(minuteOfDay / 60);
  if (hour === 21) return 3.2;
  return 1 + 0.55 * max(0, 1 - activityOf(minuteOfDay));
}
