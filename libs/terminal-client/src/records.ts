import type {
  accountFields,
  barFields,
  bookFields,
  dealFields,
  orderFields,
  positionFields,
  RecordOf,
  symbolFields,
  terminalInfoFields,
  tickFields,
} from '@libs/records';

/**
 * The terminal's records, with its own field names and order (docs: Python integration, named tuples).
 * Times are the broker server's wall clock written as an epoch, never UTC; money is in the deposit currency,
 * volumes in lots, prices in the quote currency. The members and their units are declared in `libs/records`.
 */
export type AccountInfo = RecordOf<typeof accountFields>;
export type TerminalInfo = RecordOf<typeof terminalInfoFields>;
export type SymbolInfo = RecordOf<typeof symbolFields>;
export type BookRow = RecordOf<typeof bookFields>;
export type Tick = RecordOf<typeof tickFields>;
export type TradePosition = RecordOf<typeof positionFields>;
export type TradeOrder = RecordOf<typeof orderFields>;
export type TradeDeal = RecordOf<typeof dealFields>;

/** A column of numbers: a typed array in process, a plain one from the wire. */
export type Column = ArrayLike<number>;

/** The members of a record as columns. */
export type ColumnsOf<Declared> = { [Name in keyof Declared]: Column };

/** Bars as columns, ascending by `time` (server seconds of each bar's open). All columns are equally long. */
export type BarColumns = ColumnsOf<typeof barFields>;

/** Ticks as columns, ascending by `time_msc`. All columns are equally long. */
export type TickColumns = ColumnsOf<typeof tickFields>;
