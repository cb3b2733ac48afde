import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ReplayFile, replayFile } from '../market/replay/replay-files';

/** Open, high, low and close of a bid bar. */
export type WrittenBar = readonly [open: number, high: number, low: number, close: number];

const minuteMs = 60_000;

/**
 * Writes one-minute bars of a symbol, one a minute, as files of bids and of asks.
 * @param spread by which each price of an ask bar is above that of the bid bar
 * @param startMs open of the first bar, in UTC milliseconds
 */
export function writeBars(symbol: string, startMs: number, bars: readonly WrittenBar[], spread: number): ReplayFile[] {
  const folder = mkdtempSync(join(tmpdir(), 'bars-'));
  return [['bid', 0] as const, ['ask', spread] as const].map(([side, above]) => {
    const path = join(folder, `${symbol.toLowerCase()}-${side}.csv`);
    const lines = bars.map((prices, minute) => {
      const stamp = new Date(startMs + minute * minuteMs).toISOString();
      return [stamp, ...prices.map((price) => (price + above).toFixed(5))].join(',');
    });
    writeFileSync(path, `timestamp,open,high,low,close\n${lines.join('\n')}\n`);
    return replayFile(path);
  });
}
