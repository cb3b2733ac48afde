import { basename } from 'node:path';
import { Timeframe } from '@libs/terminal-client';
import type { LimitFill, QuoteSource } from '../../quotes/quote-source';
import type { ServerClock } from '../../time/server-clock';
import { barLength, timeframeName } from './bar-length';
import { type BarRecording, type Recording, readRecordingFile, RecordingError, type TickRecording } from './recordings';
import { MissingSideError } from './recording-error';
import { ReplayBars } from './replay-bars';
import { ReplayMinutes, ReplayTicks } from './replay-quotes';

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
  /** Opens of bars or times of ticks, in UTC milliseconds. */
  readonly times: Float64Array;
  /** Length of the bars; null for ticks. */
  readonly timeframe: Timeframe | null;
}

/**
 * `GBPUSD=some/file.csv`, or a path whose file name starts with the symbol: `gbpusd-m1-bid-2012-02.csv`.
 * @throws RecordingError when the symbol cannot be derived from it
 */
export function replayFile(text: string): ReplayFile {
  const named = /^([A-Za-z0-9._#]+)=(.+)$/.exec(text);
  if (named?.[1] && named[2]) return { symbol: named[1], path: named[2] };
  const symbol = /^([A-Za-z0-9]+)/.exec(basename(text))?.[1]?.toUpperCase();
  if (!symbol) throw new RecordingError(`${basename(text)}: its name does not start with a symbol`);
  return { symbol, path: text };
}

/** The recorded prices of one symbol: bars of bid and of ask, or ticks. */
export type SymbolRecording = { readonly symbol: string } & (
  | { readonly kind: 'bars'; readonly timeframe: Timeframe; readonly bid: BarRecording; readonly ask: BarRecording }
  | { readonly kind: 'ticks'; readonly ticks: TickRecording }
);

/**
 * Reads the files of a replay into memory, 24 bytes a tick and 80 a bar.
 * @param readFile reads one file
 * @param needsAsks false where asks are computed: then bids are enough, and stand for the asks
 * @throws RecordingError naming the file that cannot be used
 */
export function readSymbolRecordings(
  files: readonly ReplayFile[],
  readFile: (file: ReplayFile) => Recording = read,
  needsAsks = true,
): SymbolRecording[] {
  const symbols = [...new Set(files.map(({ symbol }) => symbol))];
  return symbols.map((symbol) =>
    recordingOf(
      symbol,
      files.filter((file) => file.symbol === symbol),
      readFile,
      needsAsks,
    ),
  );
}

/** Recorded prices as the quotes of a market. @param clock of the server, by which bars that are longer than a minute end */
export function replaysOf(
  recordings: readonly SymbolRecording[],
  clock: Pick<ServerClock, 'serverMs' | 'utcMs'>,
  limitFill: LimitFill = 'through',
): Replay[] {
  return recordings.map((recording) => {
    if (recording.kind === 'ticks') return tickReplay(recording.symbol, recording.ticks);
    const { symbol, timeframe, bid, ask } = recording;
    const { times } = bid;
    const shared = { symbol, firstMs: times[0] ?? 0, times, timeframe };
    if (timeframe === Timeframe.M1) {
      return { ...shared, source: new ReplayMinutes(bid, ask, limitFill), lastMs: (times.at(-1) ?? 0) + 59_000 };
    }
    const source = new ReplayBars(bid, ask, timeframe, clock, limitFill);
    return { ...shared, source, lastMs: source.lastMs };
  });
}

function recordingOf(
  symbol: string,
  files: readonly ReplayFile[],
  readFile: (file: ReplayFile) => Recording,
  needsAsks: boolean,
): SymbolRecording {
  const bids: BarRecording[] = [];
  const asks: BarRecording[] = [];
  const ticks: TickRecording[] = [];
  const lengths = new Set<Timeframe>();
  for (const file of files) {
    const recording = readFile(file);
    const length = recording.kind === 'ticks' ? null : barLength(basename(file.path), recording.times);
    if (length !== null) lengths.add(length);
    if (recording.kind === 'ticks') ticks.push(recording);
    else if (/(^|[^a-z])ask([^a-z]|$)/i.test(basename(file.path))) asks.push(recording);
    else bids.push(recording);
  }
  if (ticks.length > 0 && bids.length + asks.length > 0) {
    throw new RecordingError(`${symbol}: ticks and bars of one symbol cannot be replayed together`);
  }
  if (ticks.length > 0) return { symbol, kind: 'ticks', ticks: joined(ticks, ['times', 'bids', 'asks']) };
  if (bids.length === 0 || (asks.length === 0 && needsAsks)) {
    throw new MissingSideError(`${symbol}: bars need a file of bids and a file of asks ("ask" in its name)`);
  }
  const columns = ['times', 'open', 'high', 'low', 'close'] as const;
  const [timeframe = Timeframe.M1, ...others] = lengths;
  if (others.length > 0) {
    const names = [timeframe, ...others].map(timeframeName).join(' and ');
    throw new RecordingError(
      `${symbol}: bars of ${names} cannot be replayed together: use files with bars of one length`,
    );
  }
  const bid = joined(bids, columns);
  return { symbol, kind: 'bars', timeframe, bid, ask: asks.length === 0 ? bid : joined(asks, columns) };
}

function read({ path }: ReplayFile): Recording {
  try {
    return readRecordingFile(path);
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    throw new RecordingError(`${basename(path)}: cannot be read`);
  }
}

function tickReplay(symbol: string, ticks: TickRecording): Replay {
  const { times } = ticks;
  const [firstMs, lastMs] = [times[0] ?? 0, times.at(-1) ?? 0];
  return { symbol, source: new ReplayTicks(ticks), firstMs, lastMs, times, timeframe: null };
}

/** Several recordings of one kind as one, in the order of their times. */
function joined<T extends Recording>(recordings: readonly T[], columns: readonly (keyof T)[]): T {
  const ascending = [...recordings].sort((a, b) => (a.times[0] ?? 0) - (b.times[0] ?? 0));
  const [first] = ascending;
  if (!first) throw new RecordingError('nothing to join');
  if (ascending.length === 1) return first;
  ascending.forEach(({ times }, index) => {
    const before = ascending[index - 1]?.times.at(-1) ?? Number.NEGATIVE_INFINITY;
    if ((times[0] ?? 0) <= before) throw new RecordingError('price files overlap in time');
  });
  const whole = columns.map((name) => [name, concatenated(ascending.map((recording) => recording[name]))] as const);
  return { ...first, ...Object.fromEntries(whole) };
}

/** In one step: each intermediate result would be as large as years of prices. */
function concatenated(parts: readonly unknown[]): Float64Array {
  const columns = parts.map((part) => {
    if (part instanceof Float64Array) return part;
    throw new TypeError('not a column');
  });
  const result = new Float64Array(columns.reduce((rows, { length }) => rows + length, 0));
  let at = 0;
  for (const column of columns) {
    result.set(column, at);
    at += column.length;
  }
  return result;
}
