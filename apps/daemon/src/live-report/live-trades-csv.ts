import type { LiveTrade } from './live-trade';

const columns = [
  ...(['strategy', 'gateway', 'position', 'symbol', 'side', 'volume', 'openedMs', 'entryPrice', 'closedMs'] as const),
  ...(['exitPrice', 'exitReason', 'commission', 'swap', 'realized', 'floating', 'intentId', 'tag', 'knownBy'] as const),
] satisfies readonly (keyof LiveTrade)[];

/** Trades as CSV with ISO times in UTC; what a trade lacks is empty. */
export function liveTradesCsv(trades: readonly LiveTrade[]): string {
  const names = columns.map((column) => column.replace(/Ms$/, ''));
  const rows = trades.map((trade) => columns.map((column) => quoted(cellOf(trade, column))).join(','));
  return `${[names.join(','), ...rows].join('\n')}\n`;
}

function cellOf(trade: LiveTrade, column: (typeof columns)[number]): string {
  const value = trade[column];
  if (value === null) return '';
  return column === 'openedMs' || column === 'closedMs' ? new Date(Number(value)).toISOString() : String(value);
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
