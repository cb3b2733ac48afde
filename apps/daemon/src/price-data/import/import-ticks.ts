import { parsedRows, type ImportTerms, type RowCounts } from './import-rows';
import { refused, type ImportSource } from './import-source';
import { onGrid } from './price-grid';

/** A quote of both sides. */
export interface ImportedTick {
  /** UTC milliseconds. */
  readonly timeMs: number;
  readonly bid: string;
  readonly ask: string;
}

/** The ticks of a file. @throws ImportError */
export function importedTicks(source: ImportSource, terms: ImportTerms, counts: RowCounts): Iterable<ImportedTick> {
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
