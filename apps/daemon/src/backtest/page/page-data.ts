import type { RollingSharpe } from '../sharpe';
import { outerBar, unpackedRows } from './packed-rows';

/** Time in seconds since `startMs`, open, high, low and close. */
export type PageBar = readonly [number, number, number, number, number];
/** Time in seconds since `startMs`, and equity. */
export type PageEquity = readonly [number, number];

/** What the page carries for its charts and its list of trades. Times are seconds since `startMs`, which keeps the page small. */
export interface PageData {
  readonly startMs: number;
  readonly digits: number;
  /** Decimals of the amounts. */
  readonly moneyDigits: number;
  readonly capital: number;
  /** Symbol of the bars. */
  readonly charted: string;
  /** Rows of {@link barWidth} integers as differences: the time, and the bar in points. */
  readonly bars: readonly number[];
  /** Rows of {@link equityWidth} integers as differences: the time, and the equity in units of its last digit. */
  readonly equity: readonly number[];
  readonly symbols: readonly string[];
  readonly reasons: readonly string[];
  readonly trades: readonly PackedTrade[];
  /** Tags of the trades; absent where no trade has one. */
  readonly tags?: readonly string[];
  /** Index of the tag of each trade; -1 without one. */
  readonly taggedAs?: readonly number[];
  /** Names of the strategies of a portfolio; absent where there is one strategy. */
  readonly strategies?: readonly string[];
  /** Index of the strategy of each trade, of a portfolio. */
  readonly madeBy?: readonly number[];
  /** The result of each of {@link strategies}, as {@link equity}: from the capital of the account on. */
  readonly results?: readonly (readonly number[])[];
  /** Absent for a run of less than a quarter. */
  readonly rolling?: RollingSharpe;
}

/** Side is 1 for a bought position; symbol and reason are indexes; mae and mfe are null where they are not known. */
export type PackedTrade = readonly [
  opened: number,
  closed: number,
  side: 0 | 1,
  symbol: number,
  lots: number,
  entry: number,
  exit: number,
  reason: number,
  costs: number,
  result: number,
  mae: number | null,
  mfe: number | null,
];

/** A closed trade. Times are seconds since the start of the page's data. */
export interface PageTrade {
  readonly opened: number;
  readonly closed: number;
  readonly side: 'buy' | 'sell';
  readonly symbol: string;
  readonly lots: number;
  readonly entry: number;
  readonly exit: number;
  readonly by: string;
  readonly costs: number;
  readonly result: number;
  readonly mae: number | null;
  readonly mfe: number | null;
  /** Of a portfolio. */
  readonly strategy?: string;
  /** Where a trade has a tag; empty for one without. */
  readonly tag?: string;
}

export const barWidth = 5;
const equityWidth = 2;

export function barsOf({ bars, digits }: PageData): readonly PageBar[] {
  const point = 10 ** digits;
  return unpackedRows(bars, barWidth).map(([time = 0, ...inner]): PageBar => {
    const [open, high, low, close] = outerBar(inner);
    return [time, open / point, high / point, low / point, close / point];
  });
}

export function equityOf({ equity, moneyDigits }: Pick<PageData, 'equity' | 'moneyDigits'>): readonly PageEquity[] {
  const units = 10 ** moneyDigits;
  return unpackedRows(equity, equityWidth).map(([time = 0, amount = 0]) => [time, amount / units]);
}

export function tradesOf({
  trades,
  symbols,
  reasons,
  strategies,
  madeBy,
  tags,
  taggedAs,
}: PageData): readonly PageTrade[] {
  return trades.map(([opened, closed, side, symbol, lots, entry, exit, reason, costs, result, mae, mfe], index) => ({
    opened,
    closed,
    side: side === 1 ? 'buy' : 'sell',
    symbol: symbols[symbol] ?? '',
    lots,
    entry,
    exit,
    by: reasons[reason] ?? '',
    costs,
    result,
    mae,
    mfe,
    ...(tags && taggedAs ? { tag: tags[taggedAs[index] ?? -1] ?? '' } : {}),
    ...(strategies && madeBy ? { strategy: strategies[madeBy[index] ?? 0] ?? '' } : {}),
  }));
}
