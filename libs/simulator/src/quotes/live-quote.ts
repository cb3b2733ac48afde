import type { Tick } from '@libs/terminal-client';

/** The current quote of a symbol, changed in place by its feed; `timeMs` 0 means there was none yet. */
export interface LiveQuote {
  /** UTC milliseconds. */
  timeMs: number;
  bid: number;
  ask: number;
  /** What changed with the last quote, as `TickFlag` bits. */
  flags: number;
}

/** A quote as the terminal's tick record. @param offsetMs of the server's clock at the quote */
export function tickOf(quote: LiveQuote, offsetMs: number): Tick {
  const timeMsc = quote.timeMs + offsetMs;
  return {
    time: Math.floor(timeMsc / 1_000),
    bid: quote.bid,
    ask: quote.ask,
    last: 0,
    volume: 0,
    time_msc: timeMsc,
    flags: quote.flags,
    volume_real: 0,
  };
}
