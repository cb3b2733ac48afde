import { table } from '@libs/command-line';
import { countText } from '@libs/gateway-client/figure-text';
import { assumptionsText, fillRuleText } from './broker-terms';
import { amountsIn, figureRows, shortNumber } from './figure-rows';
import { openTables } from './open-rows';
import { shown } from './period';
import type { PortfolioReport, StrategyReport } from './portfolio-report';
import { faultsText } from './accepted-faults';
import { gapLines, monthTable, orderTables } from './report-table';
import type { WithTradeOrders } from './trade-order-rows';

/** The report of a portfolio as text for a terminal. */
export function portfolioTable(report: PortfolioReport & WithTradeOrders): string {
  const { portfolio, account, range, strategies, months, rejects } = report;
  const fillRule = fillRuleText(report.fillRule);
  const parts = [
    [
      `portfolio ${portfolio.name} with ${countText(strategies.length, 'strategy', 'strategies')}`,
      ...strategies.map((strategy) => `${strategy.name}  ${strategyText(strategy)}`),
      `limits    ${limitsText(portfolio.risk)}`,
      `broker    ${assumptionsText(report.assumptions)}`,
      ...(fillRule === null ? [] : [`fills     ${fillRule}`]),
      `prices    ${shown(Date.parse(range.from))} to ${shown(Date.parse(range.to))} UTC, ${range.bars} bars`,
      ...gapLines(report),
      ...Object.entries(range.faults).map(([symbol, faults]) => `faulty    ${faultsText(symbol, faults)}`),
      `account   ${account.capital} ${account.currency} at 1:${account.leverage}`,
    ].join('\n'),
    table(
      strategyColumns,
      strategies.map((strategy) => strategyCells(strategy, account.currency)),
    ),
    ...correlationTable(report),
    table(['FIGURE', 'VALUE'], figureRows(report)),
    monthTable(months, account.currency),
    ...orderTables(report),
    ...optional(['HALTED', 'WHO', 'KIND', 'REASON'], haltRows(report)),
    ...openTables(report.openPositions, report.assumptions.symbols, account.currency),
    ...optional(
      ['REJECTS', 'STRATEGY', 'KIND', 'REASON'],
      rejects.map(({ count, strategy, kind, reason }) => [count, strategy, kind, reason]),
    ),
    ...strategyProblems(strategies),
  ];
  return parts.join('\n\n');
}

/** Absent for a single strategy. */
function correlationTable(report: PortfolioReport): string[] {
  const [names = [], ...rows] = correlationRows(report);
  return rows.length < 2 ? [] : [table(['CORRELATION', ...names.slice(1)], rows)];
}

/** The correlations of the daily changes, under a row of the strategies' names. */
export function correlationRows({ correlations }: PortfolioReport): readonly (readonly string[])[] {
  const names = Object.keys(correlations);
  const rows = names.map((name) => [name, ...names.map((other) => shortNumber(correlations[name]?.[other] ?? null))]);
  return [['', ...names], ...rows];
}

/** Columns of the strategies, in the table and on the page. */
export const strategyColumns = [
  ...['STRATEGY', 'NET PROFIT', 'CONTRIBUTION %', 'RETURN %', 'TRADES', 'WIN RATE %', 'PROFIT FACTOR'],
  ...['MAX DRAWDOWN', 'MAX DRAWDOWN %', 'SHARPE', 'REJECTS', 'STATE'],
];

/** The row of a strategy. Its return and drawdown refer to its own part of the capital. */
export function strategyCells(strategy: StrategyReport, currency: string): string[] {
  const money = amountsIn(currency);
  const { name, figures, contributionPct } = strategy;
  return [
    ...[name, money(figures.netProfit), shortNumber(contributionPct), shortNumber(figures.returnPct)],
    ...[String(figures.trades), shortNumber(figures.winRatePct), shortNumber(figures.profitFactor)],
    ...[money(figures.maxDrawdown), shortNumber(figures.maxDrawdownPct), shortNumber(figures.sharpe)],
    ...[String(figures.rejects), stateOf(strategy)],
  ];
}

/** What the strategy runs, in one line. */
export function strategyText({ strategy, capital }: StrategyReport): string {
  const streams = Object.entries(strategy.streams).map(([alias, stream]) => `${alias} ${stream}`);
  const params = JSON.stringify(strategy.params);
  return `${strategy.file} version ${strategy.version} on ${streams.join(', ')} with ${capital}, ${params}`;
}

/** The shared limits in words. */
export function limitsText({ maxDailyLoss, maxDrawdownPct }: PortfolioReport['portfolio']['risk']): string {
  const limits = [
    ...(maxDailyLoss === null ? [] : [`maxDailyLoss ${maxDailyLoss}`]),
    ...(maxDrawdownPct === null ? [] : [`maxDrawdownPct ${maxDrawdownPct}`]),
  ];
  return limits.length === 0 ? 'none' : limits.join(', ');
}

/** The halts of the portfolio and of its strategies by their time. */
export function haltRows({ portfolio, halts, strategies }: PortfolioReport): readonly (readonly string[])[] {
  const all = [{ name: portfolio.name, halts }, ...strategies];
  return all
    .flatMap(({ name, halts: own }) =>
      own.map(({ at, kind, reason }) => [shown(Date.parse(at)), name, kind, reason] as const),
    )
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
}

function stateOf({ failure, haltReason, errors }: StrategyReport): string {
  if (failure !== null) return 'failed';
  const thrown = errors === 0 ? '' : `, ${countText(errors, 'error')}`;
  return `${haltReason === null ? 'ran' : 'halted'}${thrown}`;
}

/** What strategies threw, each in one text with the lines of its file. */
export function strategyProblems(strategies: readonly StrategyReport[]): readonly string[] {
  return strategies.flatMap(({ name, failure, firstError, errors }) => {
    if (failure !== null) return [`${name} failed while it warmed up: ${failure}`];
    if (firstError === null) return [];
    return [
      `${name} threw ${countText(errors, 'time')}, first at ${shown(Date.parse(firstError.at))}: ${firstError.error}`,
    ];
  });
}

function optional(names: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  return rows.length === 0 ? [] : [table(names, rows)];
}
