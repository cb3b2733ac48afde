import { basename, join } from 'node:path';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Seconds of a minute at which its four quotes come. */
const seconds = ['00', '20', '40', '59'];

/**
 * Writes a file of ticks: of each minute of bid and ask bars its open, low, high and close.
 * @param files bids and asks of the same minutes, in any number of pairs
 * @returns its path
 */
export function ticksOf(files, folder) {
  const bids = files.filter((file) => basename(file).includes('bid'));
  const symbol = /^[a-z]+/.exec(basename(bids[0]))[0];
  const path = join(folder, `${symbol}-ticks.csv`);
  const handle = openSync(path, 'w');
  writeSync(handle, 'timestamp,bid,ask\n');
  for (const bid of bids) {
    const asks = rowsOf(bid.replace('-bid-', '-ask-'));
    const lines = rowsOf(bid).map(([time, ...prices], minute) => {
      const [askTime, ...askPrices] = asks[minute];
      if (askTime !== time) throw new Error(`${bid} and its asks have other minutes at ${time}`);
      return [0, 2, 1, 3]
        .map((at, index) => `${atSecond(time, seconds[index])},${prices[at]},${askPrices[at]}\n`)
        .join('');
    });
    writeSync(handle, lines.join(''));
  }
  closeSync(handle);
  return path;
}

function rowsOf(path) {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
}

function atSecond(time, second) {
  return time.replace(/^(.{10}[T ]\d\d:\d\d:)\d\d/, `$1${second}`);
}
