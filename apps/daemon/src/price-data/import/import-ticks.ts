import { ImportClock, ImportTimeError } from './import-clock';
import { cellsOf, type TickColumns } from './import-columns';
import type { ImportTerms } from './import-bars';
import { parsedRows, refused, zoneOf, type ImportSource } from './import-source';

/** A quote of both sides. */
export interface ImportedTick {
  /** UTC milliseconds. */
  readonly timeMs: number;
  readonly bid: string;
  readonly ask: string;
}

/** A price may be this share of a point off: TrueFX has 107.089996 for 107.09. */
const roundedShare = 0.01;

/** The ticks of a file. @throws ImportError */
export function importedTicks(
  source: ImportSource,
  { zone, digits }: ImportTerms,
  symbol: string,
): readonly ImportedTick[] {
  const { columns } = source;
  if (columns.kind !== 'ticks') throw refused(source.name, ['it has bars, and others have ticks']);
  const clock = new ImportClock(zoneOf(source, zone));
  const wanted = lettersOf(symbol);
  return parsedRows<ImportedTick>(source, (line, before) => {
    const cells = cellsOf(line, columns.delimiter);
    if (cells.length !== columns.width) return `it has ${cells.length} cells, not ${columns.width}`;
    const named = columns.symbol === -1 ? null : (cells[columns.symbol] ?? '');
    if (named !== null && !wanted.startsWith(lettersOf(named))) return `it is a quote of ${named}, not of ${symbol}`;
    const tick = tickOf(cells, columns, { clock, digits, before });
    if (typeof tick === 'string') return tick;
    return before !== undefined && tick.timeMs < before.timeMs ? 'its time is before that of the quote before' : tick;
  });
}

/** A tick; or what is wrong with its row. */
function tickOf(
  cells: readonly string[],
  { time, bid, ask }: TickColumns,
  { clock, digits, before }: { clock: ImportClock; digits: number; before: ImportedTick | undefined },
): ImportedTick | string {
  // MetaTrader leaves a side empty that has not changed.
  const prices = [cells[bid] || before?.bid, cells[ask] || before?.ask].map((text = '') => priceOf(text, digits));
  const [bidPrice, askPrice] = prices;
  if (bidPrice?.problem != null) return bidPrice.problem;
  if (askPrice?.problem != null) return askPrice.problem;
  try {
    const timeMs = clock.utcMs(time.map((column) => cells[column]).join(' '));
    return { timeMs, bid: bidPrice?.text ?? '', ask: askPrice?.text ?? '' };
  } catch (error) {
    if (error instanceof ImportTimeError) return error.message;
    throw error;
  }
}

/** A price with the digits of the symbol; or what is wrong with it. */
function priceOf(text: string, digits: number): { readonly text: string; readonly problem: string | null } {
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) === 0) return { text, problem: `"${text}" is not a price` };
  const rounded = Number(text).toFixed(digits);
  const isOnGrid = Math.abs(Number(text) - Number(rounded)) <= roundedShare * 10 ** -digits;
  return { text: rounded, problem: isOnGrid ? null : `${text} has more than ${digits} decimal places: see --digits` };
}

function lettersOf(symbol: string): string {
  return symbol.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase();
}
