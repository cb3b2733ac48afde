import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  crossedTimes,
  readRecording,
  RecordingError,
  replayFile,
  scanPrices,
  type FaultyRow,
  type Recording,
  type RowFault,
} from '@libs/simulator';
import { gapsOf } from '../backtest/gaps';

/** What a price file has too much of, or lacks. */
export interface FileFaults extends Readonly<Record<RowFault, number>> {
  /** Ticks, or minutes of bars, whose ask lies below the bid; of bars counted in the file of the asks. */
  readonly crossed: number;
  /** Minutes between the first and the last bar that are not there, weekends left out; null for ticks. */
  readonly missing: number | null;
}

/** A price file and its faults. */
export interface FileCheck {
  readonly file: string;
  readonly symbol: string;
  readonly kind: 'bars' | 'ticks';
  readonly rows: number;
  /** First and last time, ISO-8601 in UTC; null without a sound row. */
  readonly from: string | null;
  readonly to: string | null;
  readonly faults: FileFaults;
  /** The first faulty rows, and the first crossed times. */
  readonly examples: readonly string[];
  /** Whether a backtest takes the file: missing minutes alone do not matter. */
  readonly isSound: boolean;
}

const mostExamples = 5;

/**
 * Checks price files, as a backtest takes them.
 * @throws RecordingError for a file that cannot be read or has an unknown shape
 */
export function checkPrices(paths: readonly string[]): readonly FileCheck[] {
  const files = paths.map((path) => scanned(path));
  const asksBySymbol = files.filter(({ recording, isAsk }) => recording?.kind === 'bars' && isAsk);
  return files.map((file) => {
    const bids = files.filter(({ symbol, recording, isAsk }) => {
      return symbol === file.symbol && recording?.kind === 'bars' && !isAsk;
    });
    const crossed = asksBySymbol.includes(file)
      ? bids.flatMap(({ recording }) => crossedOf(recording, file.recording))
      : crossedOf(null, file.recording);
    return checked(file, crossed);
  });
}

interface ScannedFile {
  readonly file: string;
  readonly symbol: string;
  readonly isAsk: boolean;
  readonly kind: 'bars' | 'ticks';
  readonly rows: number;
  readonly faulty: readonly FaultyRow[];
  readonly recording: Recording | null;
}

function scanned(text: string): ScannedFile {
  const { symbol, path } = replayFile(text);
  const file = basename(path);
  const { kind, rows, faulty, sound } = scanPrices(file, textOf(path));
  const isAsk = /(^|[^a-z])ask([^a-z]|$)/i.test(file);
  const recording = rows === faulty.length ? null : readRecording(file, sound);
  return { file, symbol, isAsk, kind, rows, faulty, recording };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new RecordingError(`${basename(path)}: cannot be read`);
  }
}

function crossedOf(bid: Recording | null, recording: Recording | null): readonly number[] {
  if (recording?.kind === 'ticks') return crossedTimes({ symbol: '', kind: 'ticks', ticks: recording });
  if (recording?.kind !== 'bars' || bid?.kind !== 'bars') return [];
  return crossedTimes({ symbol: '', kind: 'bars', bid, ask: recording });
}

function checked({ file, symbol, kind, rows, faulty, recording }: ScannedFile, crossed: readonly number[]): FileCheck {
  const count = (fault: RowFault): number => faulty.filter((row) => row.fault === fault).length;
  const faults = {
    crossed: crossed.length,
    ...{ inverted: count('inverted'), duplicate: count('duplicate') },
    missing: recording?.kind === 'bars' ? gapsOf(recording.times, 'M1').missingBars : null,
    ...{ mistimed: count('mistimed'), malformed: count('malformed') },
  };
  const times = recording?.times;
  return {
    ...{ file, symbol, kind, rows, from: iso(times?.[0]), to: iso(times?.at(-1)), faults },
    examples: [
      ...faulty.slice(0, mostExamples).map(({ line, fault, text }) => `line ${line} is ${fault}: ${text}`),
      ...crossed
        .slice(0, mostExamples)
        .map((timeMs) => `the ask is below the bid at ${new Date(timeMs).toISOString()}`),
    ],
    isSound: faulty.length === 0 && crossed.length === 0 && rows > 0,
  };
}

function iso(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : new Date(timeMs).toISOString();
}
