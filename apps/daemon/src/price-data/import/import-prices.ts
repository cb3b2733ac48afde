import { basename, join } from 'node:path';
import { barLength, RecordingError, timeframeName } from '@libs/simulator';
import type { TimeframeName } from '@libs/terminal-client';
import { countText } from '@libs/gateway-client/figure-text';
import { timeframeMs } from '../../core/event-time';
import { movedBreak } from './daily-break';
import { asksOf, importedBars, type ImportedBar } from './import-bars';
import { noCounts, type ImportTerms, type RowCounts, parsedRows } from './import-rows';
import { importSource, refused, type ImportSource } from './import-source';
import { PriceWriter, timeText } from './price-writer';
import { ImportError } from './source-text';
import { onGrid } from './price-grid';

export interface ImportOrder extends ImportTerms {
  /** Files of bids, or of both sides. */
  readonly files: readonly string[];
  /** Files of the asks of the same bars; without any, asks are the bids plus a spread. */
  readonly askFiles: readonly string[];
  /** Points between bid and ask; null where the files state them, or there are files of asks. */
  readonly spreadPoints: number | null;
  /** Folder of the price files. */
  readonly folder: string;
}

interface ImportResult {
  readonly kind: 'bars' | 'ticks';
  /** Length of the bars; null for ticks. */
  readonly timeframe: TimeframeName | null;
  /** Bids, then asks; or ticks. */
  readonly files: readonly string[];
  readonly rows: number;
  /** Opens of the first and the last bar, or times of the first and the last tick, in UTC milliseconds. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** What may be wrong with the files, a sentence each. */
  readonly warnings: readonly string[];
  /** What was left out or changed of the files, a sentence each. */
  readonly notes: readonly string[];
}

interface Timed {
  readonly timeMs: number;
}

/** The rows of a file, which counts them. */
type RowsOf<Row> = (source: ImportSource, terms: ImportTerms, counts: RowCounts) => Iterable<Row>;

const barHeader = 'timestamp,open,high,low,close';

/**
 * Makes price files, as backtests read them, of bars or ticks of another form. Rows pass one by one, so that the size
 * of a file does not matter. Nothing is left unless all is sound.
 * @throws ImportError
 */
export function importPrices(order: ImportOrder): ImportResult {
  checkOrder(order);
  const sources = order.files.map((path) => importSource(path, order));
  const kind = sources[0]?.columns.kind ?? 'bars';
  if (kind === 'ticks') checkTicks(order);
  else for (const source of sources) checkAsks(source, order);
  const stem = join(order.folder, order.symbol.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase());
  const written = filesOf(kind, order);
  const writer = new PriceWriter(written.map(({ name, header }) => ({ path: `${stem}-${name}.csv`, header })));
  try {
    const notes: string[] = [];
    const times =
      kind === 'bars' ? writeBars(writer, sources, order, notes) : writeTicks(writer, sources, order, notes);
    const timeframe = kind === 'bars' ? lengthOf(times.all, order) : null;
    const length = timeframe === null ? '' : `${timeframe.toLowerCase()}-`;
    const files = written.map(({ name }) => `${stem}-${length}${name}.csv`);
    // For minutes, the name of `data pull`, which continues no files that it did not write.
    const description = `${stem}-${timeframe === 'M1' ? '' : length}${kind}.json`;
    writer.finish(files, description, originOf(order, kind, timeframe));
    const warnings = timeframe === null ? [] : breakWarnings(times.all, timeframe);
    return { kind, timeframe, files, ...times.span, warnings, notes };
  } catch (error) {
    writer.discard();
    throw error;
  }
}

/** The length of bars, as the name of the first file states or as they show. @throws ImportError where it is unknown */
function lengthOf(times: readonly number[], { files: [first = ''] }: ImportOrder): TimeframeName {
  try {
    const length = barLength(basename(first), Float64Array.from(times));
    if (length !== null) return timeframeName(length);
  } catch (error) {
    throw error instanceof RecordingError ? new ImportError(error.message) : error;
  }
  throw new ImportError('there is one bar: its length is unknown, unless the name of the file states it, such as H1');
}

function checkOrder({ isUnsorted = false, repeatedHour }: ImportOrder): void {
  if (!isUnsorted || repeatedHour !== 'by-order') return;
  throw new ImportError('--repeated-hour by-order needs the rows in their order: omit --sort');
}

function filesOf(kind: 'bars' | 'ticks', { askFiles }: ImportOrder): readonly { name: string; header: string }[] {
  if (kind === 'ticks') return [{ name: 'ticks', header: 'timestamp,bid,ask' }];
  const asks = askFiles.length > 0 ? 'ask' : 'ask-from-spread';
  return ['bid', asks].map((name) => ({ name, header: barHeader }));
}

/** The times of the rows that were written. */
class WrittenTimes {
  private firstMs: number | null = null;
  private lastMs = 0;
  private rows = 0;
  /** Of bars. */
  readonly all: number[] = [];

  add(timeMs: number): void {
    this.firstMs ??= timeMs;
    this.lastMs = timeMs;
    this.rows += 1;
  }

  get span(): { readonly rows: number; readonly firstMs: number; readonly lastMs: number } {
    return { rows: this.rows, firstMs: this.firstMs ?? 0, lastMs: this.lastMs };
  }
}

function writeBars(
  writer: PriceWriter,
  sources: readonly ImportSource[],
  order: ImportOrder,
  notes: string[],
): WrittenTimes {
  const times = new WrittenTimes();
  const bids = inOrder(sources, order, importedBars, notes);
  const pairs = order.askFiles.length > 0 ? bothSides(bids, order, notes) : withAsks(bids, order);
  for (const [bid, asks] of pairs) {
    times.add(bid.timeMs);
    times.all.push(bid.timeMs);
    writer.add(bid.timeMs, [bid.prices, asks]);
  }
  return times;
}

function writeTicks(
  writer: PriceWriter,
  sources: readonly ImportSource[],
  order: ImportOrder,
  notes: string[],
): WrittenTimes {
  const times = new WrittenTimes();
  for (const { timeMs, bid, ask } of inOrder(sources, order, importedTicks, notes)) {
    times.add(timeMs);
    writer.add(timeMs, [[bid, ask]]);
  }
  if (times.span.rows === 0) throw new ImportError('there are no ticks');
  return times;
}

function* withAsks(bids: Iterable<ImportedBar>, order: ImportOrder): Generator<[ImportedBar, readonly string[]]> {
  for (const bar of bids) yield [bar, asksOf(bar, order.spreadPoints ?? bar.spread ?? 0, order.digits)];
}

/** The asks of the same bars. @throws ImportError for a bar that has only one side */
function* bothSides(
  bids: Iterable<ImportedBar>,
  order: ImportOrder,
  notes: string[],
): Generator<[ImportedBar, readonly string[]]> {
  const sources = order.askFiles.map((path) => importSource(path, order));
  const asks = inOrder(sources, order, importedBars, notes)[Symbol.iterator]();
  const oneSided = (timeMs: number): ImportError =>
    new ImportError(`the bar of ${timeText(timeMs)} has only one side of the market`);
  for (const bid of bids) {
    const next = asks.next();
    if (next.done || next.value.timeMs > bid.timeMs) throw oneSided(bid.timeMs);
    if (next.value.timeMs < bid.timeMs) throw oneSided(next.value.timeMs);
    yield [bid, next.value.prices];
  }
  const more = asks.next();
  if (!more.done) throw oneSided(more.value.timeMs);
}

/** The rows in the order of their times, whatever the order of the files; and what there is to know of each file. */
function* inOrder<Row extends Timed>(
  sources: readonly ImportSource[],
  terms: ImportTerms,
  rowsOf: RowsOf<Row>,
  notes: string[],
): Generator<Row> {
  let before: { readonly name: string; readonly timeMs: number } | null = null;
  for (const source of ascending(sources, terms, rowsOf)) {
    const counts = noCounts();
    let lastMs: number = before?.timeMs ?? -Infinity;
    for (const row of rowsOf(source, terms, counts)) {
      if (counts.taken === 1 && before !== null && row.timeMs <= lastMs) {
        throw new ImportError(`${before.name} and ${source.name} overlap in time`);
      }
      lastMs = row.timeMs;
      yield row;
    }
    before = { name: source.name, timeMs: lastMs };
    notes.push(...notesOf(source, terms, counts));
  }
}

/** Files by their first rows. */
function ascending<Row extends Timed>(
  sources: readonly ImportSource[],
  terms: ImportTerms,
  rowsOf: RowsOf<Row>,
): readonly ImportSource[] {
  if (sources.length === 1) return sources;
  const firsts = sources.map((source) => {
    for (const { timeMs } of rowsOf(source, terms, noCounts())) return { source, timeMs };
    return { source, timeMs: 0 };
  });
  return firsts.sort((a, b) => a.timeMs - b.timeMs).map(({ source }) => source);
}

/** @throws ImportError if every spread is 0, which no market has */
function notesOf(
  { name, columns }: ImportSource,
  { zone, digits, isRounding = false }: ImportTerms,
  counts: RowCounts,
): readonly string[] {
  const { taken, rounded, skipped, withoutSpread } = counts;
  if (withoutSpread > 0 && withoutSpread === taken) {
    throw refused(name, ['its spread is 0 in every row: leave it out by --ignore spread, and state --spread']);
  }
  const rows = (count: number): string => countText(count, 'row');
  const { left } = columns;
  return [
    ...(left.length > 0 ? [`left out the column${left.length === 1 ? '' : 's'} ${left.join(', ')}`] : []),
    ...(rounded > 0
      ? [`rounded prices${isRounding ? '' : ' with float noise'} to ${digits} decimal places in ${rows(rounded)}`]
      : []),
    ...(skipped > 0 ? [`left out ${rows(skipped)} in an hour that ${columns.zone ?? zone} repeats or skips`] : []),
    ...(withoutSpread > 0 ? [`${withoutSpread} of ${rows(taken)} have a spread of 0: their asks are their bids`] : []),
  ].map((note) => `${name}: ${note}`);
}

function breakWarnings(times: readonly number[], timeframe: TimeframeName): readonly string[] {
  const moved = movedBreak(times, timeframeMs(timeframe) ?? Infinity);
  if (moved === null) return [];
  const { before, after, date } = moved;
  return [
    `the daily break moves from ${before} to ${after} UTC in the week of ${date}, and New York changes its clock on another day: ` +
      'check --zone; many brokers use America/New_York+7',
  ];
}

function checkTicks({ spreadPoints, askFiles }: ImportOrder): void {
  if (spreadPoints !== null) throw new ImportError('ticks have both sides of the market: omit --spread');
  if (askFiles.length > 0) throw new ImportError('ticks have both sides of the market: omit --asks');
}

/** Asks come from one place. */
function checkAsks({ name, columns }: ImportSource, { spreadPoints, askFiles }: ImportOrder): void {
  const hasSpread = columns.kind === 'bars' && columns.spread !== -1;
  const given = [hasSpread, spreadPoints !== null, askFiles.length > 0].filter(Boolean).length;
  if (given === 1 || columns.kind !== 'bars') return;
  if (given === 0) {
    throw refused(name, ['it has one side of the market and no column spread: use --asks or --spread']);
  }
  throw refused(name, [
    hasSpread
      ? 'it has a column spread: omit --spread and --asks, or leave it out by --ignore spread'
      : 'use either --spread or --asks',
  ]);
}

function originOf(order: ImportOrder, kind: string, timeframe: string | null): Readonly<Record<string, unknown>> {
  const { files, askFiles, symbol, zone, digits, spreadPoints } = order;
  const spread = spreadPoints === null ? 'the bid plus the spread of its bar' : `the bid plus ${spreadPoints} points`;
  const asks = kind === 'ticks' || askFiles.length > 0 ? 'recorded' : spread;
  return {
    imported: [...files, ...askFiles].map((file) => basename(file)),
    symbol,
    kind,
    ...(timeframe && { timeframe }),
    zone,
    digits,
    asks,
  };
}

/** A quote of both sides. */
interface ImportedTick {
  /** UTC milliseconds. */
  readonly timeMs: number;
  readonly bid: string;
  readonly ask: string;
}

/** The ticks of a file. @throws ImportError */
function importedTicks(source: ImportSource, terms: ImportTerms, counts: RowCounts): Iterable<ImportedTick> {
  const { columns } = source;
  const { digits } = terms;
  if (columns.kind !== 'ticks') throw refused(source.name, ['it has bars, and others have ticks']);
  return parsedRows<ImportedTick>(source, terms, counts, (cells, timeMs, before) => {
    // MetaTrader leaves a side empty that has not changed.
    const bid = onGrid(cells[columns.bid] || before?.bid || '', terms);
    const ask = onGrid(cells[columns.ask] || before?.ask || '', terms);
    if (typeof bid === 'string') return bid;
    if (typeof ask === 'string') return ask;
    if (before !== undefined && timeMs < before.timeMs) {
      return 'its time is before that of the quote before: use --sort if the rows are in another order';
    }
    if (bid.isRounded || ask.isRounded) counts.rounded += 1;
    return { timeMs, bid: Number(bid.text).toFixed(digits), ask: Number(ask.text).toFixed(digits) };
  });
}
