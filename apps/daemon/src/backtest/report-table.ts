import { table } from '@libs/command-line';
import { countText } from '@libs/gateway-client/figure-text';
import {
  noTradeOrders,
  tradeOrderHeadings,
  tradeOrderRows,
  tradeOrderTexts,
  type WithTradeOrders,
} from './trade-order-rows';
import { pastText } from '../strategies/worker/warmup';
import { assumptionsText, fillRuleText } from './broker-terms';
import { amountsIn, figureRows, shortNumber } from './figure-rows';
import { faultsText } from './accepted-faults';
import { openTables } from './open-rows';
import type { BacktestReport } from './report';
import type { PagedReport } from './report-page';
import { shown } from './period';

/** A report as text for a terminal. */
export function reportTable(report: BacktestReport & WithTradeOrders): string {
  const { strategy, account, range, haltReason } = report;
  const streams = Object.entries(strategy.streams).map(([alias, stream]) => `${alias} ${stream}`);
  const fillRule = fillRuleText(report.fillRule);
  const parts = [
    [
      `${strategy.file} version ${strategy.version} on ${streams.join(', ')}`,
      `broker    ${assumptionsText(report.assumptions)}`,
      ...(fillRule === null ? [] : [`fills     ${fillRule}`]),
      `params    ${JSON.stringify(strategy.params)}`,
      `prices    ${shown(Date.parse(range.from))} to ${shown(Date.parse(range.to))} UTC, ${range.bars} bars after ${pastText(range)}`,
      ...gapLines(report),
      ...Object.entries(range.faults).map(([symbol, faults]) => `faulty    ${faultsText(symbol, faults)}`),
      `account   ${account.capital} ${account.currency} at 1:${account.leverage}`,
      ...(haltReason === null ? [] : [`halted    ${haltReason}`]),
    ].join('\n'),
    ...resultTables(report),
    ...openTables(report.openPositions, report.assumptions.symbols, account.currency),
  ];
  return parts.join('\n\n');
}

/** The tables of a report: figures, months, and rejects if there are any. */
export function resultTables(report: PagedReport & WithTradeOrders): string[] {
  const { months, rejects } = report;
  const results = [
    table(['FIGURE', 'VALUE'], figureRows(report)),
    monthTable(months, report.account.currency),
    ...orderTables(report),
  ];
  if (rejects.length === 0) return results;
  const rows = rejects.map(({ count, kind, reason }) => [count, kind, reason]);
  return [...results, table(['REJECTS', 'KIND', 'REASON'], rows)];
}

/** Other orders of the trades, where they were asked for. */
export function orderTables({ monteCarlo, account }: WithTradeOrders): string[] {
  if (monteCarlo === undefined) return [];
  if (monteCarlo === null) return [noTradeOrders];
  const headings = tradeOrderHeadings.map((heading) => heading.toUpperCase());
  return [table(headings, tradeOrderRows(monteCarlo, account.currency)), tradeOrderTexts(monteCarlo).join('\n')];
}

/** A run by months. */
export function monthTable(months: BacktestReport['months'], currency: string): string {
  const money = amountsIn(currency);
  return table(
    ['MONTH', 'CHANGE OF EQUITY', 'RETURN %', 'MAX DRAWDOWN %', 'TRADES', 'WINS', 'END EQUITY'],
    months.map((month) => [
      ...[month.month, money(month.profit), shortNumber(month.returnPct), shortNumber(month.maxDrawdownPct)],
      ...[month.trades, month.wins, money(month.endEquity)],
    ]),
  );
}

/** A line for each symbol whose prices lack bars. */
export function gapLines({ range }: { readonly range: Pick<BacktestReport['range'], 'gaps'> }): string[] {
  return Object.entries(range.gaps).flatMap(([symbol, { missingBars, longestGapMinutes, longestGapAfterMs }]) => {
    if (missingBars === null || missingBars === 0 || longestGapAfterMs === null) return [];
    const longest = `at most ${countText(longestGapMinutes ?? 0, 'minute')} at once, after ${shown(longestGapAfterMs)}`;
    return [`missing   ${countText(missingBars, 'bar')} of ${symbol}, ${longest}`];
  });
}
