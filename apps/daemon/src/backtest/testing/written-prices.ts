import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A quote as a test writes it down: UTC milliseconds, bid and ask. */
export type WrittenQuote = readonly [timeMs: number, bid: number, ask: number];

/** Writes a price file of ticks. @returns its path */
export function writeTicks(path: string, quotes: readonly WrittenQuote[]): string {
  const lines = quotes.map(([timeMs, bid, ask]) => `${isoOf(timeMs)},${bid.toFixed(5)},${ask.toFixed(5)}`);
  writeFileSync(path, `timestamp,bid,ask\n${lines.join('\n')}\n`);
  return path;
}

/** A one-minute bar as a test writes it down: its open in UTC milliseconds, and the four bid prices. */
export type WrittenBar = readonly [timeMs: number, open: number, high: number, low: number, close: number];

/**
 * Writes the price files of a symbol's bars.
 * @param spread by which each ask is above its bid
 * @returns the paths of the bids and the asks
 */
export function writeBars(folder: string, symbol: string, bars: readonly WrittenBar[], spread: number): string[] {
  return ['bid', 'ask'].map((side) => {
    const path = join(folder, `${symbol.toLowerCase()}-${side}.csv`);
    const above = side === 'ask' ? spread : 0;
    const lines = bars.map(([timeMs, ...prices]) =>
      [isoOf(timeMs), ...prices.map((price) => (price + above).toFixed(5))].join(','),
    );
    writeFileSync(path, `timestamp,open,high,low,close\n${lines.join('\n')}\n`);
    return path;
  });
}

function isoOf(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('Z', '+00:00');
}
