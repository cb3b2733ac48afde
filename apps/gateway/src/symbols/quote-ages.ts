import { Injectable } from '@nestjs/common';
import { Clock } from '@libs/clock';
import type { Tick } from '@libs/terminal-client';

/** A quote, as far as it is compared with the next one. */
type Quote = Pick<Tick, 'time_msc' | 'bid' | 'ask'>;

interface Seen {
  readonly quote: Quote;
  /** Monotonic time of the last read that showed another quote; null if this is the first one that was seen. */
  readonly olderAtMs: number | null;
  readonly readAtMs: number;
}

const mostSymbols = 10_000;

/**
 * The age of each symbol's quote, by when the gateway saw it change: the clocks of broker and gateway may differ. The age of a
 * quote is at most the time since the last read that showed another one. Before the gateway saw it change, its age is not known.
 */
@Injectable()
export class QuoteAges {
  private readonly seen = new Map<string, Seen>();

  constructor(private readonly clock: Clock) {}

  /** Notes a quote that was just read. @returns an upper bound of its age in seconds; null if it is not known */
  note(symbol: string, quote: Quote): number | null {
    const nowMs = this.clock.monotonicMs();
    const before = this.seen.get(symbol);
    const isSame = before !== undefined && isSameQuote(before.quote, quote);
    const olderAtMs = isSame ? before.olderAtMs : (before?.readAtMs ?? null);
    if (!before && this.seen.size >= mostSymbols) this.seen.clear();
    this.seen.set(symbol, { quote: isSame ? before.quote : quote, olderAtMs, readAtMs: nowMs });
    return this.ageSeconds(symbol);
  }

  /** Age of the quote that was read last, in seconds; null if it is not known. */
  ageSeconds(symbol: string): number | null {
    const olderAtMs = this.seen.get(symbol)?.olderAtMs ?? null;
    return olderAtMs === null ? null : Math.round(this.clock.monotonicMs() - olderAtMs) / 1_000;
  }
}

function isSameQuote(a: Quote, b: Quote): boolean {
  return a.time_msc === b.time_msc && a.bid === b.bid && a.ask === b.ask;
}
