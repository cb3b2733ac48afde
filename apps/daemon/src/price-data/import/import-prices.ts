import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { importedBars, type ImportedBar, type ImportTerms } from './import-rows';
import { ImportError } from './source-text';

export interface ImportOrder extends ImportTerms {
  readonly files: readonly string[];
  readonly symbol: string;
  /** Folder of the price files. */
  readonly folder: string;
}

export interface ImportResult {
  /** Bids, then asks. */
  readonly files: readonly string[];
  readonly bars: number;
  /** Opens of the first and the last bar, in UTC milliseconds. */
  readonly firstMs: number;
  readonly lastMs: number;
}

const minuteMs = 60_000;

/**
 * Writes price files that a backtest takes from one-minute bars of another form. Nothing is written unless all is sound.
 * @throws ImportError
 */
export function importPrices(order: ImportOrder): ImportResult {
  const { symbol, folder, files } = order;
  const stem = symbol.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
  // The names of `data pull`, which continues no files that it did not write.
  const [bid, ask] = [join(folder, `${stem}-m1-bid.csv`), join(folder, `${stem}-m1-ask-from-spread.csv`)];
  const description = join(folder, `${stem}-bars.json`);
  const taken = [bid, ask, description].find((path) => existsSync(path));
  if (taken !== undefined) throw new ImportError(`${taken} exists: delete it, or use another --store`);
  const bars = joined(files.map((file) => ({ name: basename(file), bars: importedBars(file, order) })));
  checkLength(bars);
  mkdirSync(folder, { recursive: true });
  writeWhole(description, `${JSON.stringify(originOf(order), null, 2)}\n`);
  writeWhole(bid, textOf(bars, 'bid'));
  writeWhole(ask, textOf(bars, 'ask'));
  return { files: [bid, ask], bars: bars.length, firstMs: bars[0]?.timeMs ?? 0, lastMs: bars.at(-1)?.timeMs ?? 0 };
}

/** In the order of their times, whatever the order of the files. */
function joined(
  parts: readonly { readonly name: string; readonly bars: readonly ImportedBar[] }[],
): readonly ImportedBar[] {
  const ascending = [...parts].sort((a, b) => (a.bars[0]?.timeMs ?? 0) - (b.bars[0]?.timeMs ?? 0));
  ascending.forEach(({ name, bars }, index) => {
    const before = ascending[index - 1];
    if (before === undefined || (bars[0]?.timeMs ?? 0) > (before.bars.at(-1)?.timeMs ?? 0)) return;
    throw new ImportError(`${before.name} and ${name} overlap in time`);
  });
  return ascending.flatMap(({ bars }) => bars);
}

/** A backtest would take each longer bar as one minute. */
function checkLength(bars: readonly ImportedBar[]): void {
  const distances = bars.slice(1).map(({ timeMs }, index) => timeMs - (bars[index]?.timeMs ?? 0));
  if (bars.length < 2) throw new ImportError('there is one bar: its length is unknown');
  const least = distances.reduce((shortest, distance) => Math.min(shortest, distance), Infinity);
  if (least === minuteMs) return;
  throw new ImportError(`the bars are ${least / minuteMs} minutes apart: one-minute bars are needed`);
}

function originOf({ files, symbol, zone, digits, spreadPoints }: ImportOrder): Readonly<Record<string, unknown>> {
  const asks = spreadPoints === null ? 'the bid plus the spread of its bar' : `the bid plus ${spreadPoints} points`;
  return { imported: files.map((file) => basename(file)), symbol, kind: 'bars', zone, digits, asks };
}

function textOf(bars: readonly ImportedBar[], side: 'bid' | 'ask'): string {
  const lines = bars.map((bar) => `${timeText(bar.timeMs)},${bar[side].join(',')}\n`);
  return `timestamp,open,high,low,close\n${lines.join('')}`;
}

function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('T', ' ').replace('.000Z', '+00:00');
}

function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
