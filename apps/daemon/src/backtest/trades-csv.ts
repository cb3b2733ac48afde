import { sum } from './exact-sum';
import type { ReportTrade } from './excursions';
import { tradesCsv } from './page/trade-list';

/** The closed trades of a report as CSV, with the columns of its page: those of a portfolio begin with the strategy. */
export function reportCsv(trades: readonly (ReportTrade & { readonly strategy?: string })[]): string {
  const startMs = 0;
  const isTagged = trades.some(({ tag }) => tag !== null);
  const rows = trades.map((trade) => ({
    opened: trade.openedMs / 1_000,
    closed: trade.closedMs / 1_000,
    side: trade.side,
    symbol: trade.symbol,
    lots: trade.volume,
    entry: trade.entryPrice,
    exit: trade.exitPrice,
    by: trade.exitReason,
    costs: sum([trade.commission, trade.swap]),
    result: trade.realized,
    mae: trade.excursion?.mae ?? null,
    mfe: trade.excursion?.mfe ?? null,
    ...(isTagged ? { tag: trade.tag ?? '' } : {}),
    ...(trade.strategy === undefined ? {} : { strategy: trade.strategy }),
  }));
  return tradesCsv(rows, startMs);
}
