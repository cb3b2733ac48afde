import { basename } from 'node:path';
import {
  barLength,
  catalogue,
  crossedTimes,
  replayFile,
  scanPrices,
  timeframeName,
  type FaultyRow,
  type Recording,
  type RowFault,
} from '@libs/simulator';
import { Timeframe, type TimeframeName } from '@libs/terminal-client';
import { gapsOf } from '../backtest/gaps';
import { tradesOnWeekends } from '../backtest/market-week';
import { readable } from '../backtest/recorded-prices';
import { doubtsOf, usualLevels, type DoubtLevels, type PriceDoubts } from './price-doubts';

/** What a price file has too much of, or lacks. */
export interface FileFaults extends Readonly<Record<RowFault, number>> {
  /** Ticks or bars with an ask below the bid; bars are counted in the file of the asks. */
  readonly crossed: number;
  /** Bars between the first and the last one that are not there, weekends and daily breaks left out; null for ticks and for bars longer than an hour. */
  readonly missing: number | null;
}

/** A price file and its faults. */
export interface FileCheck {
  readonly file: string;
  readonly symbol: string;
  readonly kind: 'bars' | 'ticks';
  /** Length of the bars; null for ticks, and for a single bar. */
  readonly timeframe: TimeframeName | null;
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
 * @throws RecordingError for a file that cannot be read, has an unknown shape, or bars of an unknown length
 */
export function checkPrices(
  paths: readonly string[],
  terms: CheckTerms = { levels: usualLevels, isOpenOnWeekends: false },
): readonly FileCheck[] {
  const files = paths.map((path) => scanned(path));
  return files.map((file) => {
    const isAsks = file.recording?.kind === 'bars' && file.isAsk;
    const isBidOf = (other: ScannedFile): boolean =>
      other.symbol === file.symbol && other.timeframe === file.timeframe && !other.isAsk;
    const bids = isAsks ? files.filter(isBidOf) : [];
    const bars = bids.flatMap(({ recording }) => (recording?.kind === 'bars' ? [recording] : []));
    const crossed = isAsks ? bars.flatMap((bid) => crossedOf(bid, file.recording)) : crossedOf(null, file.recording);
    const isOpen = terms.isOpenOnWeekends || isOpenOnWeekends(file.symbol);
    const doubts =
      file.recording === null ? null : doubtsOf(file.recording, file.timeframe, bars[0] ?? null, terms.levels, isOpen);
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
  readonly timeframe: TimeframeName | null;
  readonly rows: number;
  readonly faulty: readonly FaultyRow[];
  readonly recording: Recording | null;
}

function scanned(text: string): ScannedFile {
  const { symbol, path } = replayFile(text);
  const file = basename(path);
  const { kind, rows, faulty, recording } = readable(path, () => scanPrices(path));
  const isAsk = /(^|[^a-z])ask([^a-z]|$)/i.test(file);
  const length = recording?.kind === 'bars' ? barLength(file, recording.times) : null;
  return { file, symbol, isAsk, kind, timeframe: length && timeframeName(length), rows, faulty, recording };
}

function crossedOf(bid: Recording | null, recording: Recording | null): readonly number[] {
  if (recording?.kind === 'ticks') return crossedTimes({ symbol: '', kind: 'ticks', ticks: recording });
  if (recording?.kind !== 'bars' || bid?.kind !== 'bars') return [];
  return crossedTimes({ symbol: '', kind: 'bars', timeframe: Timeframe.M1, bid, ask: recording });
}

function checked(
  { file, symbol, kind, timeframe, rows, faulty, recording }: ScannedFile,
  crossed: readonly number[],
): Omit<FileCheck, 'doubts'> {
  const count = (fault: RowFault): number => faulty.filter((row) => row.fault === fault).length;
  const faults = {
    crossed: crossed.length,
    inverted: count('inverted'),
    duplicate: count('duplicate'),
    missing: recording?.kind === 'bars' ? gapsOf(recording.times, timeframe ?? 'M1').missingBars : null,
    mistimed: count('mistimed'),
    malformed: count('malformed'),
  };
  const times = recording?.times;
  return {
    file,
    symbol,
    kind,
    timeframe,
    rows,
    from: iso(times?.[0]),
    to: iso(times?.at(-1)),
    faults,
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
