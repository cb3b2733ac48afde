import type { ImportTerms } from './import-bars';
import { ImportClock } from './import-clock';
import { finerProblem, parsedRows, priceProblem, refused, timeOf, zoneOf, type ImportSource } from './import-source';

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
  return parsedRows<ImportedTick>(source, (cells, before) => {
    const named = columns.symbol === -1 ? null : (cells[columns.symbol] ?? '');
    if (named !== null && !wanted.startsWith(lettersOf(named))) return `it is a quote of ${named}, not of ${symbol}`;
    // MetaTrader leaves a side empty that has not changed.
    const bid = cells[columns.bid] || before?.bid || '';
    const ask = cells[columns.ask] || before?.ask || '';
    const problem = gridProblem(bid, digits) ?? gridProblem(ask, digits);
    if (problem !== null) return problem;
    const timeMs = clock.utcMs(timeOf(columns, cells));
    if (before !== undefined && timeMs < before.timeMs) return 'its time is before that of the quote before';
    return { timeMs, bid: Number(bid).toFixed(digits), ask: Number(ask).toFixed(digits) };
  });
}

function gridProblem(price: string, digits: number): string | null {
  const isOff = Math.abs(Number(price) - Number(Number(price).toFixed(digits))) > roundedShare * 10 ** -digits;
  return priceProblem(price) ?? (isOff ? finerProblem(price, digits) : null);
}

function lettersOf(symbol: string): string {
  return symbol.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase();
}
