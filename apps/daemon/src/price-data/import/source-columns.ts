/** What a file has in each of its rows, beside the time. */
interface Columns {
  readonly delimiter: string;
  readonly width: number;
  /** One column, or a date and a time of day. */
  readonly time: readonly number[];
  /** Zone of times without an offset, where the form determines it; null where the caller has to name it. */
  readonly zone: string | null;
  /** Column of the symbol; -1 if there is none. */
  readonly symbol: number;
  /** Whether the first line names the columns. */
  readonly hasHeader: boolean;
  /** Columns that were left out although nothing asked for it, by name. */
  readonly left: readonly string[];
}

/** Bars of one side of the market; -1 for a column that is not there. */
export interface BarColumns extends Columns {
  readonly kind: 'bars';
  readonly prices: readonly [open: number, high: number, low: number, close: number];
  readonly spread: number;
}

/** Quotes of both sides. */
export interface TickColumns extends Columns {
  readonly kind: 'ticks';
  readonly bid: number;
  readonly ask: number;
}

export type ImportColumns = BarColumns | TickColumns;
