import { basename } from 'node:path';
import {
  crossedTimes,
  MissingSideError,
  readSymbolRecordings,
  RecordingError,
  replayFile,
  scanPrices,
  timeframeName,
  type Recording,
  type ReplayFile,
  type SymbolRecording,
} from '@libs/simulator';
import { Timeframe } from '@libs/terminal-client';
import { statSync } from 'node:fs';
import type { AcceptedFaults } from './accepted-faults';
import { readWithColumns } from './column-store';
import { BacktestRefusedError, shown } from './period';

/** The prices of a run, and the faults in them by symbol; symbols without faults are left out. */
export interface RecordedPrices {
  readonly recordings: readonly SymbolRecording[];
  readonly faults: Readonly<Record<string, AcceptedFaults>>;
}

/**
 * Reads price files.
 * @param acceptsFaulty whether faulty rows are skipped and crossed asks raised, instead of refused
 * @param usesAsks false where asks are computed, so that the recorded ones do not matter
 * @throws RecordingError or BacktestRefusedError for prices that cannot be used
 */
export function readPrices(paths: readonly string[], acceptsFaulty: boolean, usesAsks: boolean): RecordedPrices {
  const files = paths.map(replayFile);
  const skipped = new Map<string, number>();
  const readSound = ({ symbol, path }: ReplayFile): Recording => {
    const { faulty, recording } = readable(path, () => scanPrices(path));
    skipped.set(symbol, (skipped.get(symbol) ?? 0) + faulty.length);
    if (recording === null) throw new RecordingError(`${basename(path)}: holds no prices`);
    return recording;
  };
  const readFile = acceptsFaulty ? readSound : ({ path }: ReplayFile) => recordingOf(path);
  const recordings = advised(() => readSymbolRecordings(files, readFile, usesAsks));
  const crossed = new Map(
    recordings.map((recording) => [recording.symbol, usesAsks ? crossedTimes(recording) : []] as const),
  );
  if (!acceptsFaulty) refuseCrossed(recordings, crossed);
  const faults = recordings.flatMap(({ symbol }) => {
    const found = { crossed: crossed.get(symbol)?.length ?? 0, skipped: skipped.get(symbol) ?? 0, weekend: 0 };
    return found.crossed + found.skipped === 0 ? [] : [[symbol, found] as const];
  });
  return { recordings, faults: Object.fromEntries(faults) };
}

/** @throws RecordingError with the way to use bids alone */
function advised<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MissingSideError)) throw error;
    throw new RecordingError(`${error.message}; or bids alone, and their --spread`);
  }
}

function refuseCrossed(recordings: readonly SymbolRecording[], crossed: ReadonlyMap<string, readonly number[]>): void {
  const problems = recordings.flatMap((recording) => {
    const { symbol } = recording;
    const times = crossed.get(symbol) ?? [];
    const [first] = times;
    if (first === undefined) return [];
    const one = rowName(recording);
    const which = times.length === 1 ? `1 ${one} of ${symbol} has` : `${times.length} ${one}s of ${symbol} have`;
    return [`${which} an ask below the bid, the first at ${shown(first)} UTC`];
  });
  if (problems.length === 0) return;
  const advice = 'see daemon data check; --accept-faulty raises these asks to the bid';
  throw new BacktestRefusedError(`${problems.join('\n')}\n${advice}`);
}

function rowName(recording: SymbolRecording): string {
  if (recording.kind === 'ticks') return 'tick';
  return recording.timeframe === Timeframe.M1 ? 'minute' : `${timeframeName(recording.timeframe)} bar`;
}

function recordingOf(path: string): Recording {
  return readable(path, () => readWithColumns(path));
}

/** @throws RecordingError with the cause if the file cannot be read */
export function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    throw new RecordingError(`${basename(path)}: cannot be read: ${cause}`);
  }
}

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

/** Gives the memory of the last prices back, in a thread that runs no backtest over them. */
export function forgetPrices(): void {
  last = null;
}
