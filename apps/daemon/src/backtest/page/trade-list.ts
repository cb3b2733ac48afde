import type { PageTrade } from './page-data';

export type TradeColumn = keyof PageTrade;

/** Columns of the list and of the CSV, in order; {@link columnsOf} adds the strategy and the tag. */
const tradeColumns: readonly TradeColumn[] = [
  ...(['opened', 'closed', 'side', 'symbol', 'lots', 'entry', 'exit', 'by', 'costs', 'result', 'mae', 'mfe'] as const),
];

/** The columns of some trades: those of a portfolio begin with the strategy, and those with tags end with the tag. */
export function columnsOf(trades: readonly PageTrade[]): readonly TradeColumn[] {
  const [first] = trades;
  const [strategy, tag] = [first?.strategy, first?.tag];
  return [
    ...(strategy === undefined ? [] : (['strategy'] as const)),
    ...tradeColumns,
    ...(tag === undefined ? [] : (['tag'] as const)),
  ];
}

/** Indexes of the trades in the order of a column; trades of one value stay in the order of their closing. */
export function sortedTrades(
  trades: readonly PageTrade[],
  column: TradeColumn,
  isDescending: boolean,
): readonly number[] {
  const sign = isDescending ? -1 : 1;
  return trades
    .map((_, index) => index)
    .sort((a, b) => sign * compare(trades[a]?.[column], trades[b]?.[column]) || a - b);
}

/** What is not known comes first. */
function compare(a: string | number | null = null, b: string | number | null = null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}

/** The trades as CSV with ISO times. */
export function tradesCsv(trades: readonly PageTrade[], startMs: number): string {
  const columns = columnsOf(trades);
  const rows = trades.map((trade) => columns.map((column) => quoted(cell(trade, column, startMs))).join(','));
  return `${[columns.join(','), ...rows].join('\n')}\n`;
}

function cell(trade: PageTrade, column: TradeColumn, startMs: number): string {
  const value = trade[column];
  if (column === 'opened' || column === 'closed')
    return new Date(Math.round(startMs + Number(value) * 1_000)).toISOString();
  return value === null || value === undefined ? '' : String(value);
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Decimals of the prices of each symbol. The average price of a position that is closed in parts has more than prices have. */
export function priceDigits(trades: readonly PageTrade[]): ReadonlyMap<string, number> {
  const digits = new Map<string, number>();
  for (const { symbol, entry, exit } of trades) {
    const own = [entry, exit].map((price) => String(price).split('.')[1]?.length ?? 0);
    digits.set(symbol, Math.min(5, Math.max(digits.get(symbol) ?? 0, ...own)));
  }
  return digits;
}
