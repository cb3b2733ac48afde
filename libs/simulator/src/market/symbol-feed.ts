import type { SymbolSpec } from '../symbols/symbol-spec';
import type { LiveQuote } from '../quotes/live-quote';
import { blockFlags, QuoteBlock, type QuoteSource } from '../quotes/quote-source';

// Bound once: looking globals up is slow in the sandbox that tests run in.
const { floor } = Math;

const MINUTE_MS = 60_000;

/**
 * Moves the quote of one symbol through time. Quote by quote while something hangs on the symbol (a position, an order),
 * else by a jump to the last one: the quote at an instant is the same either way.
 */
export class SymbolFeed {
  readonly quote: LiveQuote = { timeMs: 0, bid: 0, ask: 0, flags: 0 };
  /** The prices before the last {@link step}; they mean something only while {@link isInsideBar}. */
  readonly before = { bid: 0, ask: 0 };
  /** Whether the last step led from one quote of a bar to the next: the path between the two is continuous. */
  isInsideBar = false;
  /** UTC milliseconds of the quote that {@link step} would take next; infinite when there is none. */
  nextMs = Number.POSITIVE_INFINITY;
  /** Number of quotes taken so far: the quote is the same while it is. */
  changes = 0;
  private readonly block = new QuoteBlock();
  private minute = -1;
  private at = 0;

  constructor(
    readonly spec: SymbolSpec,
    readonly source: QuoteSource,
  ) {}

  /** Takes the next quote. */
  step(): void {
    this.isInsideBar = this.source.limitFill !== undefined && (this.at > 0 || this.block.isContinued);
    this.before.bid = this.quote.bid;
    this.before.ask = this.quote.ask;
    this.take(this.at);
    this.at++;
    if (this.at >= this.block.count) this.load(this.minute + 1);
    else this.nextMs = this.block.times[this.at] ?? 0;
  }

  /** Makes the quote the last one up to an instant, whatever lies between. */
  jumpTo(utcMs: number): void {
    if (this.nextMs > utcMs && this.minute >= 0) return;
    this.isInsideBar = false;
    const minute = floor(utcMs / MINUTE_MS);
    if (minute !== this.minute) this.arriveAt(minute, utcMs);
    let at = this.at;
    while (at < this.block.count && (this.block.times[at] ?? 0) <= utcMs) at++;
    if (at > this.at) this.take(at - 1);
    this.at = at;
    if (at >= this.block.count) this.load(minute + 1);
    else this.nextMs = this.block.times[at] ?? 0;
  }

  private arriveAt(minute: number, utcMs: number): void {
    this.read(minute);
    if (this.block.count > 0 && (this.block.times[0] ?? 0) <= utcMs) return;
    this.takeLastBefore(minute);
    this.read(minute);
  }

  /** The last quote of the minutes before: at the start of a session it may lie days back. */
  private takeLastBefore(minute: number): void {
    for (let before = this.source.previousMinute(minute - 1); before !== null;) {
      this.read(before);
      if (this.block.count > 0) {
        if ((this.block.times[this.block.count - 1] ?? 0) > this.quote.timeMs) this.take(this.block.count - 1);
        return;
      }
      before = this.source.previousMinute(before - 1);
    }
  }

  private take(at: number): void {
    this.changes++;
    const bid = this.block.bids[at] ?? 0;
    const ask = this.block.asks[at] ?? 0;
    this.quote.flags = blockFlags(this.block, at);
    this.quote.timeMs = this.block.times[at] ?? 0;
    this.quote.bid = bid;
    this.quote.ask = ask;
  }

  /** Finds the next minute with quotes from `minute` on. */
  private load(minute: number): void {
    for (let next = this.source.nextMinute(minute); next !== null; next = this.source.nextMinute(next + 1)) {
      this.read(next);
      if (this.block.count > 0) {
        this.nextMs = this.block.times[0] ?? 0;
        return;
      }
    }
    this.nextMs = Number.POSITIVE_INFINITY;
  }

  private read(minute: number): void {
    this.source.read(minute, this.block);
    this.minute = minute;
    this.at = 0;
  }
}
