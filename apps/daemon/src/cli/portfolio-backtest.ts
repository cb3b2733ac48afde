import { createRequire } from 'node:module';
import type * as PortfolioPage from '../backtest/portfolio-page';
import { portfolioColumnsOf, portfolioReportOf } from '../backtest/portfolio-report';
import type { PortfolioResult } from '../backtest/portfolio-result';
import { portfolioTable } from '../backtest/portfolio-table';
import { runPortfolio, type PortfolioOptions } from '../backtest/run-portfolio';
import { reportCsv } from '../backtest/trades-csv';
import type { DrawnOrders } from '../backtest/trade-order';
import { StrategiesRefusedError } from '../backtest/strategies-refused-error';
import type { BacktestFlags } from './backtest-arguments';
import { withTradeOrders } from './drawn-orders';
import { logLines } from './log-lines';
import { writeReport } from './report-files';
import { refusalOf, type PortfolioArguments } from './portfolio-arguments';

/** `daemon backtest --config FILE --portfolio NAME`: runs a portfolio as it is configured, and reports. */
export async function backtestPortfolio(
  given: PortfolioArguments,
  options: PortfolioOptions,
  flags: Pick<BacktestFlags, 'out' | 'html' | 'logs' | 'json'> & {
    readonly csv?: string;
    readonly drawn: DrawnOrders | null;
  },
): Promise<void> {
  const result = await resultOf(given, options);
  const report = withTradeOrders(
    portfolioReportOf(result, given.portfolio, given.strategies, given.files),
    flags.drawn,
  );
  const columns = portfolioColumnsOf(result);
  if (flags.out !== undefined) writeReport('out', flags.out, `${JSON.stringify({ ...report, ...columns })}\n`);
  if (flags.html !== undefined) {
    // Loaded on demand: a backtest without a page needs no bundler for the script of the page.
    const { portfolioPage } = createRequire(__filename)('../backtest/portfolio-page') as typeof PortfolioPage;
    writeReport('html', flags.html, await portfolioPage(report, columns));
  }
  if (flags.csv !== undefined) writeReport('csv', flags.csv, reportCsv(report.trades));
  if (flags.logs) process.stderr.write(logLines(columns.logs));
  process.stdout.write(`${flags.json ? JSON.stringify(report, null, 2) : portfolioTable(report)}\n`);
}

/** @throws DaemonFileError for strategies that cannot be loaded, with their lines in the configuration */
async function resultOf(given: PortfolioArguments, options: PortfolioOptions): Promise<PortfolioResult> {
  try {
    return await runPortfolio(options);
  } catch (error) {
    throw error instanceof StrategiesRefusedError ? refusalOf(given, error) : error;
  }
}
