import { writeFileSync } from 'node:fs';

/** A quote as a test writes it down: UTC milliseconds, bid and ask. */
export type WrittenQuote = readonly [timeMs: number, bid: number, ask: number];

/** Writes a price file of ticks. @returns its path */
export function writeTicks(path: string, quotes: readonly WrittenQuote[]): string {
  const lines = quotes.map(([timeMs, bid, ask]) => `${isoOf(timeMs)},${bid.toFixed(5)},${ask.toFixed(5)}`);
  writeFileSync(path, `timestamp,bid,ask\n${lines.join('\n')}\n`);
  return path;
}

function isoOf(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('Z', '+00:00');
}
