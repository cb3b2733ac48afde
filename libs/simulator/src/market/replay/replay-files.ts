import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { QuoteSource } from '../quote-source';
import { type BarRecording, type Recording, readRecording, RecordingError, type TickRecording } from './recordings';
import { ReplayBars, ReplayTicks } from './replay-quotes';

/** One price file, and the symbol whose prices it holds. */
export interface ReplayFile {
  readonly symbol: string;
  readonly path: string;
}

/** All that was recorded of one symbol. */
export interface Replay {
  readonly symbol: string;
  readonly source: QuoteSource;
  /** UTC milliseconds of the first and the last quote. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** Minutes' opens (bars) or times (ticks), in UTC milliseconds. */
  readonly times: Float64Array;
}

/**
 * `GBPUSD=some/file.csv`, or a path whose file name starts with the symbol: `gbpusd-m1-bid-2012-02.csv`.
 * @throws RecordingError when no symbol can be told from it
 */
export function replayFile(text: string): ReplayFile {
  const named = /^([A-Za-z0-9._#]+)=(.+)$/.exec(text);
  if (named?.[1] && named[2]) return { symbol: named[1], path: named[2] };
  const symbol = /^([A-Za-z0-9]+)/.exec(basename(text))?.[1]?.toUpperCase();
  if (!symbol) throw new RecordingError(`${basename(text)}: its name does not start with a symbol`);
  return { symbol, path: text };
}

/**
 * Reads the files of a replay into memory, 24 bytes a tick and 80 a bar.
 * @throws RecordingError naming the file that cannot be used
 */
export function readReplays(files: readonly ReplayFile[]): Replay[] {
  const symbols = [...new Set(files.map(({ symbol }) => symbol))];
  return symbols.map((symbol) =>
    replayOf(
      symbol,
      files.filter((file) => file.symbol === symbol),
    ),
  );
}

function replayOf(symbol: string, files: readonly ReplayFile[]): Replay {
  const bids: BarRecording[] = [];
  const asks: BarRecording[] = [];
  const ticks: TickRecording[] = [];
  for (const { path } of files) {
    const recording = read(path);
    if (recording.kind === 'ticks') ticks.push(recording);
    else if (/(^|[^a-z])ask([^a-z]|$)/i.test(basename(path))) asks.push(recording);
    else bids.push(recording);
  }
  if (ticks.length > 0 && bids.length + asks.length > 0) {
    throw new RecordingError(`${symbol}: ticks and bars of one symbol cannot be replayed together`);
  }
  if (ticks.length > 0) return tickReplay(symbol, joined(ticks, ['times', 'bids', 'asks']));
  if (bids.length === 0 || asks.length === 0) {
    throw new RecordingError(`${symbol}: bars need a file of bids and a file of asks ("ask" in its name)`);
  }
  const columns = ['times', 'open', 'high', 'low', 'close'] as const;
  return barReplay(symbol, joined(bids, columns), joined(asks, columns));
}

function read(path: string): Recording {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new RecordingError(`${basename(path)}: cannot be read`);
  }
  return readRecording(basename(path), text);
}

function tickReplay(symbol: string, ticks: TickRecording): Replay {
  const { times } = ticks;
  return { symbol, source: new ReplayTicks(ticks), firstMs: times[0] ?? 0, lastMs: times.at(-1) ?? 0, times };
}

function barReplay(symbol: string, bid: BarRecording, ask: BarRecording): Replay {
  const { times } = bid;
  const lastMs = (times.at(-1) ?? 0) + 59_000;
  return { symbol, source: new ReplayBars(bid, ask), firstMs: times[0] ?? 0, lastMs, times };
}

/** Several recordings of one kind as one, in the order of their times. */
function joined<T extends Recording>(recordings: readonly T[], columns: readonly (keyof T)[]): T {
  const [first, ...rest] = [...recordings].sort((a, b) => (a.times[0] ?? 0) - (b.times[0] ?? 0));
  if (!first) throw new RecordingError('nothing to join');
  const result: T = { ...first };
  for (const next of rest) {
    if ((next.times[0] ?? 0) <= (result.times.at(-1) ?? 0)) throw new RecordingError('price files overlap in time');
    for (const column of columns) {
      Object.assign(result, { [column]: concatenated(result[column], next[column]) });
    }
  }
  return result;
}

function concatenated(head: unknown, tail: unknown): Float64Array {
  if (!(head instanceof Float64Array) || !(tail instanceof Float64Array)) throw new TypeError('not a column');
  const result = new Float64Array(head.length + tail.length);
  result.set(head);
  result.set(tail, head.length);
  return result;
}
