import type { EquityPoint } from './equity-curve';
import { sum } from './exact-sum';
import { escaped, grouped } from './page/markup';
import { pageColumns, type NamedResult } from './page/page-columns';
import { strategyMark } from './page/page-style';
import { openPart, tableOf } from './page/report-parts';
import { shown } from './period';
import type { PortfolioColumns, PortfolioReport } from './portfolio-report';
import {
  correlationRows,
  haltRows,
  limitsText,
  strategyCells,
  strategyColumns,
  strategyProblems,
  strategyText,
} from './portfolio-table';
import { accountPage, conditions, faultWarnings, haltWarnings, type PageFrame } from './report-page';
import type { WithTradeOrders } from './trade-order-rows';

/** One self-contained HTML page of a portfolio: the account, its strategies, months, drawdowns and the list of trades. */
export async function portfolioPage(
  report: PortfolioReport & WithTradeOrders,
  columns: PortfolioColumns,
): Promise<string> {
  const { portfolio, range, strategies, rejects } = report;
  const own = [
    tableOf(
      'Strategies',
      strategyColumns.map((name) => (name === 'SHARPE' ? 'Sharpe' : name.toLowerCase())),
      strategies.map((strategy) => strategyCells(strategy, report.account.currency)),
    ),
    correlations(report),
  ];
  const last = [
    optional('Halts', ['time', 'who', 'kind', 'reason'], haltRows(report)),
    optional(
      'Rejects',
      ['reason', 'strategy', 'kind', 'times'],
      rejects.map(({ reason, strategy, kind, count }) => [reason, strategy, kind, String(count)]),
    ),
    openPart(report.openPositions, report.assumptions.symbols, report.account.currency),
  ];
  const lines = strategies.map(
    (strategy, index) => `${strategyMark(index)} ${escaped(strategy.name)}: ${escaped(strategyText(strategy))}`,
  );
  const frame: PageFrame = {
    heading: `Portfolio ${portfolio.name}`,
    lead: `Backtest · ${shown(Date.parse(range.from))} to ${shown(Date.parse(range.to))} UTC · ${grouped(String(range.bars))} bars · leverage 1:${report.account.leverage} · limits: ${escaped(limitsText(portfolio.risk))}`,
    warnings: [
      ...haltWarnings('Halted before the end', report.haltReason),
      ...faultWarnings(range.faults),
      ...strategyProblems(strategies).map((problem) => `<p class="warn"><b>${escaped(problem)}</b></p>`),
    ],
    folds: [conditions(lines, report)],
    own: own.join('\n'),
    last: last.join('\n'),
    subject: 'portfolio',
  };
  const data = pageColumns(
    { ...report, benchmark: null },
    { equity: columns.equity, prices: [] },
    resultsOf(report, columns),
  );
  return accountPage(frame, report, data);
}

function correlations(report: PortfolioReport): string {
  const [names = [], ...rows] = correlationRows(report);
  return rows.length < 2 ? '' : optional('Correlation of the daily changes', names, rows);
}

function optional(title: string, names: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : tableOf(title, names, rows);
}

/** The equity of each strategy, moved to the capital of the account, so that the lines begin at one point. */
function resultsOf(
  { account, strategies }: PortfolioReport,
  { strategyEquity }: PortfolioColumns,
): readonly NamedResult[] {
  return strategies.map(({ name, capital }) => {
    const points = strategyEquity[name] ?? [];
    const moved = ([timeMs, equity]: EquityPoint): EquityPoint => [timeMs, sum([equity, account.capital, -capital])];
    return { name, equity: points.map(moved) };
  });
}
