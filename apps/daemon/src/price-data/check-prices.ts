import { basename } from 'node:path';
import {
  catalogue,
  crossedTimes,
  replayFile,
  scanPrices,
  type FaultyRow,
  type Recording,
  type RowFault,
} from '@libs/simulator';
import { gapsOf } from '../backtest/gaps';
import { tradesOnWeekends } from '../backtest/market-week';
import { readable } from '../backtest/recorded-prices';
import { doubtsOf, usualLevels, type DoubtLevels, type PriceDoubts } from './price-doubts';

/** What a price file has too much of, or lacks. */
export interface FileFaults extends Readonly<Record<RowFault, number>> {
  /** Ticks, or minutes of bars, whose ask lies below the bid; of bars counted in the file of the asks. */
  readonly crossed: number;
  /** Minutes between the first and the last bar that are not there, weekends and daily breaks left out; null for ticks. */
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
  /** What a backtest takes, but no market may have traded at; null without a sound row. */
  readonly doubts: PriceDoubts | null;
  /** Whether a backtest takes the file: missing minutes alone do not matter. */
  readonly isSound: boolean;
}

/** What is doubtful in the files. */
export interface CheckTerms {
  readonly levels: DoubtLevels;
  /** Whether all symbols trade on weekends; otherwise, those with the name of a cryptocurrency do. */
  readonly isOpenOnWeekends: boolean;
}

const mostExamples = 5;
const crypto = /BTC|XBT|ETH|XRP|LTC|BCH|SOL(?=USD)|ADA(?=USD)|DOGE|BNB|DOT(?=USD)|TRX|AVAX|USDT/;

/**
 * Checks price files, as a backtest takes them.
 * @throws RecordingError for a file that cannot be read or has an unknown shape
 */
export function checkPrices(
  paths: readonly string[],
  terms: CheckTerms = { levels: usualLevels, isOpenOnWeekends: false },
): readonly FileCheck[] {
  const files = paths.map((path) => scanned(path));
  return files.map((file) => {
    const isAsks = file.recording?.kind === 'bars' && file.isAsk;
    const bids = isAsks ? files.filter((other) => other.symbol === file.symbol && !other.isAsk) : [];
    const bars = bids.flatMap(({ recording }) => (recording?.kind === 'bars' ? [recording] : []));
    const crossed = isAsks ? bars.flatMap((bid) => crossedOf(bid, file.recording)) : crossedOf(null, file.recording);
    const isOpen = terms.isOpenOnWeekends || isOpenOnWeekends(file.symbol);
    const doubts = file.recording === null ? null : doubtsOf(file.recording, bars[0] ?? null, terms.levels, isOpen);
    return { ...checked(file, crossed), doubts };
  });
}

function isOpenOnWeekends(symbol: string): boolean {
  const known = catalogue.find(({ name }) => name === symbol);
  return known === undefined ? crypto.test(symbol.toUpperCase()) : tradesOnWeekends(known);
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
  const { kind, rows, faulty, recording } = readable(path, () => scanPrices(path));
  const isAsk = /(^|[^a-z])ask([^a-z]|$)/i.test(file);
  return { file, symbol, isAsk, kind, rows, faulty, recording };
}

function crossedOf(bid: Recording | null, recording: Recording | null): readonly number[] {
  if (recording?.kind === 'ticks') return crossedTimes({ symbol: '', kind: 'ticks', ticks: recording });
  if (recording?.kind !== 'bars' || bid?.kind !== 'bars') return [];
  return crossedTimes({ symbol: '', kind: 'bars', bid, ask: recording });
}

function checked(
  { file, symbol, kind, rows, faulty, recording }: ScannedFile,
  crossed: readonly number[],
): Omit<FileCheck, 'doubts'> {
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
