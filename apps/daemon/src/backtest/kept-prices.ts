import { statSync } from 'node:fs';
import { replayFile } from '@libs/simulator';
import { readPrices, type RecordedPrices } from './recorded-prices';

/** The last prices that this thread has read, and what they were read from. */
let last: { readonly from: string; readonly prices: RecordedPrices } | null = null;

/** As {@link readPrices}, but the same files are read once in the life of the thread: a search runs many backtests over them. */
export function keptPrices(...call: Parameters<typeof readPrices>): RecordedPrices {
  const from = JSON.stringify([call, call[0].map(pricesVersion)]);
  if (last?.from !== from) {
    // Not beside the next ones: prices of years are large.
    last = null;
    last = { from, prices: readPrices(...call) };
  }
  return last.prices;
}

/** Names a price file; differs when it was written again. One that cannot be read is reported by {@link readPrices}. */
export function pricesVersion(text: string): readonly (number | string)[] {
  const stat = statSync(replayFile(text).path, { throwIfNoEntry: false });
  return stat ? [text, stat.ino, stat.size, stat.mtimeMs] : [text];
}
