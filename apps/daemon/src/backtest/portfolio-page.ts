import { readFileSync } from 'node:fs';
import { assumptionsText } from './broker-terms';
import type { EquityPoint } from './equity-curve';
import { sum } from './exact-sum';
import { figureRows } from './figure-rows';
import { fillRuleText } from './fill-rule';
import { cells, escaped } from './page/markup';
import { pageColumns, type NamedResult } from './page/page-columns';
import { pageStyle, strategyMark, strategyStyle } from './page/page-style';
import {
  benchmarkPart,
  breakdownParts,
  drawdownPart,
  monthsPart,
  openPart,
  tableOf,
  tradeOrderPart,
} from './page/report-parts';
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
import type { WithTradeOrders } from './trade-order-rows';
import { faultsText } from './accepted-faults';
import { chart, viewScript } from './report-page';

/** One self-contained HTML page of a portfolio: the account, its strategies, months, drawdowns and the list of trades. */
export async function portfolioPage(
  report: PortfolioReport & WithTradeOrders,
  columns: PortfolioColumns,
): Promise<string> {
  const { portfolio, range, strategies, rejects } = report;
  const title = escaped(`Portfolio ${portfolio.name}`);
  const fillRule = fillRuleText(report.fillRule);
  const figures = figureRows(report);
  const data = pageColumns(
    { ...report, benchmark: null },
    { equity: columns.equity, prices: [] },
    resultsOf(report, columns),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><style>${pageStyle}${strategyStyle}${readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8')}</style></head><body>
<h1>${title}</h1>
<p>${shown(Date.parse(range.from))} to ${shown(Date.parse(range.to))} UTC · ${range.bars} bars · limits: ${escaped(limitsText(portfolio.risk))}</p>
<p>Broker: ${escaped(assumptionsText(report.assumptions))}.</p>
${fillRule === null ? '' : `<p>Fills ${escaped(fillRule)}.</p>`}
${Object.entries(range.faults)
  .map(([symbol, faults]) => `<p>Faulty prices of ${escaped(faultsText(symbol, faults))}.</p>`)
  .join('')}
${report.haltReason === null ? '' : `<p><b>Halted before the end:</b> ${escaped(report.haltReason)}</p>`}
<div class="figures">${figures.map(([label, value]) => `<div><b>${escaped(value)}</b>${escaped(label)}</div>`).join('')}</div>
${tableOf(
  'Strategies',
  strategyColumns.map((name) => name.toLowerCase()),
  strategies.map((strategy) => cells(strategyCells(strategy))),
)}
${strategies.map((strategy, index) => `<p>${strategyMark(index)} ${escaped(strategy.name)}: ${escaped(strategyText(strategy))}</p>`).join('')}
${correlations(report)}
${strategyProblems(strategies)
  .map((problem) => `<p><b>${escaped(problem)}</b></p>`)
  .join('')}
<h2>Charts</h2>
<div class="tools"><button data-key="+" aria-label="zoom in">+</button><button data-key="-" aria-label="zoom out">−</button>
<button data-key="PageUp" aria-label="earlier">◀</button><button data-key="PageDown" aria-label="later">▶</button>
<button data-key="Home">all</button><output id="readout" aria-live="polite"></output></div>
<p>Drag to zoom in; with a chart focused, arrows step through the minutes, + and − zoom. The line of a strategy is the capital of the account with the result of that strategy alone.</p>
<div hidden>${chart('prices', 'Prices', 1)}</div>${chart('equity', 'Equity of the account, and the result of each strategy', 220)}${chart('drawdown', 'Drawdown of the account', 130)}
<noscript><p>The charts need JavaScript; it is in this file, and nothing is fetched.</p></noscript>
${monthsPart(report)}
${benchmarkPart(report.benchmark, report.figures, 'portfolio')}
${drawdownPart(report)}
${tradeOrderPart(report)}
${breakdownParts(report)}
${optional('Halts', ['time', 'who', 'kind', 'reason'], haltRows(report))}
${optional(
  'Rejects',
  ['reason', 'strategy', 'kind', 'times'],
  rejects.map(({ reason, strategy, kind, count }) => [reason, strategy, kind, String(count)]),
)}
${openPart(report.openPositions, report.assumptions.symbols)}
<h2>Trades</h2><div class="tools still"><button id="csv">save as CSV</button><button id="more">show all</button></div>
<div class="scroll"><table id="trades"></table></div>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>
<script>${(await viewScript()).replaceAll('</', '<\\/')}</script>
</body></html>
`;
}

function correlations(report: PortfolioReport): string {
  const [names = [], ...rows] = correlationRows(report);
  return rows.length < 2 ? '' : optional('Correlation of the daily changes', names, rows);
}

function optional(title: string, names: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : tableOf(title, names, rows.map(cells));
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
