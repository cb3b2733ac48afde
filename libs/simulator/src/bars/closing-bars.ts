import type { Timeframe } from '@libs/terminal-client';
import { QuoteBlock, type QuoteSource } from '../quotes/quote-source';
import type { ServerClock } from '../time/server-clock';
import { bucketStart } from './buckets';

const MINUTE_MS = 60_000;

/** A bar that is over. */
export interface ClosedBarRow {
  /** Its open, in UTC milliseconds. */
  readonly timeMs: number;
  /** Its open on the server's clock, in milliseconds. */
  readonly serverMs: number;
  /** Open of the next bar on the server's clock, in milliseconds. */
  readonly closedMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly tickVolume: number;
}

interface FormingBar {
  readonly serverSeconds: number;
  readonly open: number;
  high: number;
  low: number;
  close: number;
  tickVolume: number;
}

/**
 * The bars of one symbol and timeframe one after the other, as they close: each quote is read once. They are those that
 * {@link BarHistory} makes of the same quotes.
 */
export class ClosingBars {
  private readonly block = new QuoteBlock();
  private forming: FormingBar | null = null;
  /** The minute in {@link block}, counted from the epoch; null after the last one. */
  private minute: number | null;

  /** @param fromMs open of the first bar, in UTC milliseconds */
  constructor(
    private readonly source: QuoteSource,
    private readonly clock: ServerClock,
    private readonly timeframe: Timeframe,
    fromMs: number,
  ) {
    this.minute = this.readFrom(Math.floor(fromMs / MINUTE_MS));
  }

  /** The next bar that has closed by an instant, in UTC milliseconds; null when there is none yet. */
  next(nowMs: number): ClosedBarRow | null {
    while (this.minute !== null && (this.block.times[0] ?? 0) <= nowMs) {
      const serverSeconds = bucketStart(this.timeframe, this.clock.serverMs(this.minute * MINUTE_MS) / 1_000);
      const before = this.forming;
      // In a repeated hour the clock goes back, and the bar that forms takes that hour's quotes, too.
      const isSame = before !== null && before.serverSeconds >= serverSeconds;
      this.forming = isSame ? before : barOf(this.block, serverSeconds);
      if (isSame) fold(before, this.block);
      this.minute = this.readFrom(this.minute + 1);
      if (before !== null && !isSame) return this.closed(before, serverSeconds * 1_000);
    }
    return null;
  }

  private closed({ serverSeconds, open, high, low, close, tickVolume }: FormingBar, closedMs: number): ClosedBarRow {
    const serverMs = serverSeconds * 1_000;
    return { timeMs: this.clock.utcMs(serverMs), serverMs, closedMs, open, high, low, close, tickVolume };
  }

  private readFrom(from: number): number | null {
    let minute = this.source.nextMinute(from);
    while (minute !== null) {
      this.source.read(minute, this.block);
      if (this.block.count > 0) return minute;
      minute = this.source.nextMinute(minute + 1);
    }
    return null;
  }
}

function barOf(block: QuoteBlock, serverSeconds: number): FormingBar {
  const open = block.bids[0] ?? 0;
  const bar = { serverSeconds, open, high: open, low: open, close: open, tickVolume: 0 };
  fold(bar, block);
  return bar;
}

function fold(bar: FormingBar, { bids, count }: QuoteBlock): void {
  for (let at = 0; at < count; at++) {
    const bid = bids[at] ?? 0;
    if (bid > bar.high) bar.high = bid;
    if (bid < bar.low) bar.low = bid;
    bar.close = bid;
  }
  bar.tickVolume += count;
}
