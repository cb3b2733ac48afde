import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { movedBreak } from './daily-break';
import { asksOf, importedBars, type ImportedBar, type ImportTerms } from './import-bars';
import { importedTicks } from './import-ticks';
import type { StatedForm } from './import-columns';
import { importSource, refused, type ImportSource } from './import-source';
import { ImportError } from './source-text';

export interface ImportOrder extends ImportTerms, StatedForm {
  /** Files of bids, or of both sides. */
  readonly files: readonly string[];
  /** Files of the asks of the same bars; without any, asks are the bids plus a spread. */
  readonly askFiles: readonly string[];
  /** Points between bid and ask; null where the files state them, or there are files of asks. */
  readonly spreadPoints: number | null;
  readonly symbol: string;
  /** Folder of the price files. */
  readonly folder: string;
}

export interface ImportResult {
  readonly kind: 'bars' | 'ticks';
  /** Bids, then asks; or ticks. */
  readonly files: readonly string[];
  readonly rows: number;
  /** Opens of the first and the last bar, or times of the first and the last tick, in UTC milliseconds. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** What may be wrong with the files, a sentence each. */
  readonly warnings: readonly string[];
}

/** A file to write: its name after the symbol, its header, and its rows without their times. */
interface Written {
  readonly name: string;
  readonly header: string;
  readonly cells: readonly (readonly string[])[];
}

interface Timed {
  readonly timeMs: number;
}

const minuteMs = 60_000;
const barHeader = 'timestamp,open,high,low,close';

/**
 * Writes price files that a backtest takes from one-minute bars or ticks of another form. Nothing is written unless all is sound.
 * @throws ImportError
 */
export function importPrices(order: ImportOrder): ImportResult {
  const sources = order.files.map((path) => importSource(path, order));
  const kind = sources[0]?.columns.kind ?? 'bars';
  const [times, files] = kind === 'bars' ? barFiles(sources, order) : tickFiles(sources, order);
  const paths = write(order, kind, times, files);
  const warnings = kind === 'bars' ? breakWarnings(times) : [];
  return { kind, files: paths, rows: times.length, firstMs: times[0] ?? 0, lastMs: times.at(-1) ?? 0, warnings };
}

function breakWarnings(times: readonly number[]): readonly string[] {
  const moved = movedBreak(times);
  if (moved === null) return [];
  const { before, after, date } = moved;
  return [
    `the daily break moves from ${before} to ${after} UTC in the week of ${date}, and New York changes its clock on another day: ` +
      'check --zone; many brokers use America/New_York+7',
  ];
}

function barFiles(sources: readonly ImportSource[], order: ImportOrder): [number[], Written[]] {
  for (const source of sources) checkAsks(source, order);
  const bids = joined(sources, (source) => importedBars(source, order));
  checkLength(bids);
  const isRecorded = order.askFiles.length > 0;
  const asks = isRecorded
    ? recordedAsks(bids, order)
    : bids.map((bar) => asksOf(bar, order.spreadPoints ?? bar.spread ?? 0, order.digits));
  return [
    bids.map(({ timeMs }) => timeMs),
    [
      { name: 'm1-bid', header: barHeader, cells: bids.map(({ prices }) => prices) },
      { name: isRecorded ? 'm1-ask' : 'm1-ask-from-spread', header: barHeader, cells: asks },
    ],
  ];
}

function tickFiles(sources: readonly ImportSource[], order: ImportOrder): [number[], Written[]] {
  if (order.spreadPoints !== null) throw new ImportError('ticks have both sides of the market: omit --spread');
  if (order.askFiles.length > 0) throw new ImportError('ticks have both sides of the market: omit --asks');
  const ticks = joined(sources, (source) => importedTicks(source, order, order.symbol));
  const cells = ticks.map(({ bid, ask }) => [bid, ask]);
  return [ticks.map(({ timeMs }) => timeMs), [{ name: 'ticks', header: 'timestamp,bid,ask', cells }]];
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
    hasSpread ? 'it has a column spread: omit --spread and --asks' : 'use either --spread or --asks',
  ]);
}

/** The asks of the same minutes. @throws ImportError for a minute that has only one side */
function recordedAsks(bids: readonly ImportedBar[], order: ImportOrder): readonly (readonly string[])[] {
  const asks = joined(
    order.askFiles.map((path) => importSource(path, order)),
    (source) => importedBars(source, order),
  );
  const minutesOf = (bars: readonly Timed[]): ReadonlySet<number> => new Set(bars.map(({ timeMs }) => timeMs));
  const [ofBids, ofAsks] = [minutesOf(bids), minutesOf(asks)];
  const odd = bids.find(({ timeMs }) => !ofAsks.has(timeMs)) ?? asks.find(({ timeMs }) => !ofBids.has(timeMs));
  if (odd !== undefined) throw new ImportError(`the bar of ${timeText(odd.timeMs)} has only one side of the market`);
  return asks.map(({ prices }) => prices);
}

/** In the order of their times, whatever the order of the files. */
function joined<Row extends Timed>(
  sources: readonly ImportSource[],
  rowsOf: (source: ImportSource) => readonly Row[],
): readonly Row[] {
  const parts = sources.map((source) => ({ name: source.name, rows: rowsOf(source) }));
  const ascending = parts.sort((a, b) => (a.rows[0]?.timeMs ?? 0) - (b.rows[0]?.timeMs ?? 0));
  ascending.forEach(({ name, rows }, index) => {
    const before = ascending[index - 1];
    if (before === undefined || (rows[0]?.timeMs ?? 0) > (before.rows.at(-1)?.timeMs ?? 0)) return;
    throw new ImportError(`${before.name} and ${name} overlap in time`);
  });
  return ascending.flatMap(({ rows }) => rows);
}

/** A backtest would take each longer bar as one minute. */
function checkLength(bars: readonly Timed[]): void {
  const distances = bars.slice(1).map(({ timeMs }, index) => timeMs - (bars[index]?.timeMs ?? 0));
  if (bars.length < 2) throw new ImportError('there is one bar: its length is unknown');
  const least = distances.reduce((shortest, distance) => Math.min(shortest, distance), Infinity);
  if (least === minuteMs) return;
  throw new ImportError(`the bars are ${least / minuteMs} minutes apart: one-minute bars are needed`);
}

/** Returns the paths of the files. @throws ImportError if the folder has prices of the symbol */
function write(
  order: ImportOrder,
  kind: string,
  times: readonly number[],
  files: readonly Written[],
): readonly string[] {
  const stem = join(order.folder, order.symbol.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase());
  // The names of `data pull`, which continues no files that it did not write.
  const description = `${stem}-${kind}.json`;
  const paths = files.map(({ name }) => `${stem}-${name}.csv`);
  const taken = [...paths, description].find((path) => existsSync(path));
  if (taken !== undefined) throw new ImportError(`${taken} exists: delete it, or use another --store`);
  mkdirSync(order.folder, { recursive: true });
  writeWhole(description, `${JSON.stringify(originOf(order, kind), null, 2)}\n`);
  files.forEach(({ header, cells }, index) => {
    const lines = times.map((timeMs, row) => `${timeText(timeMs)},${(cells[row] ?? []).join(',')}\n`);
    writeWhole(paths[index] ?? '', `${header}\n${lines.join('')}`);
  });
  return paths;
}

function originOf(order: ImportOrder, kind: string): Readonly<Record<string, unknown>> {
  const { files, askFiles, symbol, zone, digits, spreadPoints } = order;
  const spread = spreadPoints === null ? 'the bid plus the spread of its bar' : `the bid plus ${spreadPoints} points`;
  const asks = kind === 'ticks' || askFiles.length > 0 ? 'recorded' : spread;
  return { imported: [...files, ...askFiles].map((file) => basename(file)), symbol, kind, zone, digits, asks };
}

function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('T', ' ').replace('.000Z', '+00:00').replace('Z', '+00:00');
}

function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
