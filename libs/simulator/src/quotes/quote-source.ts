import { TickFlag } from '@libs/terminal-client';

/** The quotes of one minute, ascending by time; only the first `count` entries mean anything. */
export class QuoteBlock {
  count = 0;
  /** UTC milliseconds. */
  times = new Float64Array(64);
  bids = new Float64Array(64);
  asks = new Float64Array(64);
  /** Whether the price takes every value from the last quote of an earlier minute to the first one of this: both are of one bar. */
  isContinued = false;

  clear(): void {
    this.count = 0;
    this.isContinued = false;
  }

  push(timeMs: number, bid: number, ask: number): void {
    if (this.count === this.times.length) this.grow();
    this.times[this.count] = timeMs;
    this.bids[this.count] = bid;
    this.asks[this.count] = ask;
    this.count++;
  }

  private grow(): void {
    const wider = (column: Float64Array): Float64Array<ArrayBuffer> => {
      const copy = new Float64Array(column.length * 2);
      copy.set(column);
      return copy;
    };
    this.times = wider(this.times);
    this.bids = wider(this.bids);
    this.asks = wider(this.asks);
  }
}

/** What a limit order or a target needs inside a bar: a price one point beyond its own, or its own price. */
export type LimitFill = 'through' | 'touch';

/** Where the quotes of one symbol come from. Minutes are counted from the epoch, UTC. */
export interface QuoteSource {
  /**
   * Set where the quotes are the points of bars: between those of one bar, which are in one minute or follow a minute that
   * {@link QuoteBlock.isContinued} marks, the price takes every value, so that an order fills at its own price. Unset where there
   * is no price between two quotes.
   */
  readonly limitFill?: LimitFill;
  /** Fills `into` with the quotes of a minute; none when the symbol was not quoted in it. */
  read(minute: number, into: QuoteBlock): void;
  /** The first minute from `minute` on that may have quotes, or null when the source has ended. */
  nextMinute(minute: number): number | null;
  /** The last minute up to `minute` that may have quotes, or null when the source begins later. */
  previousMinute(minute: number): number | null;
}

/** What changed with a quote, as `TickFlag` bits; the first of a minute counts as a change of both sides. */
export function blockFlags(block: QuoteBlock, at: number): number {
  if (at === 0) return TickFlag.BID | TickFlag.ASK;
  const bid = block.bids[at] === block.bids[at - 1] ? 0 : TickFlag.BID;
  return bid | (block.asks[at] === block.asks[at - 1] ? 0 : TickFlag.ASK);
}
