import { timeframeSeconds, type BarColumns, type Column, type Timeframe } from '@libs/terminal-client';

const monthSeconds = 31 * 86_400;
/** A week has 120 hours of trading in 168: most searches end with the first read. */
const hoursPerTradingHour = 1.5;

/**
 * The last `count` bars that open at `lastSecond` or before it, in server seconds; fewer where the terminal has no more. The terminal
 * is read backwards, in spans that double.
 * @param read bars that open in a span of server seconds, both ends inclusive
 */
export async function barsUpTo(
  timeframe: Timeframe,
  count: number,
  lastSecond: number,
  read: (from: number, to: number) => Promise<BarColumns>,
): Promise<BarColumns> {
  const found: BarColumns[] = [];
  let missing = count;
  let length = Math.ceil((timeframeSeconds(timeframe) ?? monthSeconds) * count * hoursPerTradingHour);
  for (let to = lastSecond; missing > 0 && to >= 0; length *= 2) {
    const from = Math.max(0, to - length + 1);
    const bars = await read(from, to);
    found.unshift(bars);
    missing -= bars.time.length;
    to = from - 1;
  }
  return lastRows(found, count);
}

function lastRows(parts: readonly BarColumns[], count: number): BarColumns {
  return columnsOf((name) => parts.flatMap((part) => Array.from(part[name])).slice(-count));
}

/** The rows from `first` up to `end`. */
export function partOf(bars: BarColumns, first: number, end: number): BarColumns {
  if (first === 0 && end === bars.time.length) return bars;
  return columnsOf((name) => Array.from(bars[name]).slice(first, end));
}

function columnsOf(column: (name: keyof BarColumns) => Column): BarColumns {
  return {
    time: column('time'),
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
    tick_volume: column('tick_volume'),
    spread: column('spread'),
    real_volume: column('real_volume'),
  };
}
