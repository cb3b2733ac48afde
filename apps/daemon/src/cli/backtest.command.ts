import { createRequire } from 'node:module';
import { backtestBarWaitMs, backtestLimits, backtestSettings } from '../backtest/backtest.config';
import { reportOf } from '../backtest/report';
import type * as ReportPage from '../backtest/report-page';
import { reportTable } from '../backtest/report-table';
import { runBacktest } from '../backtest/run-backtest';
import { reportCsv } from '../backtest/trades-csv';
import { backtestArguments } from './backtest-arguments';
import { drawnOrders, withTradeOrders } from './drawn-orders';
import { logLines } from './log-lines';
import type * as PortfolioBacktest from './portfolio-backtest';
import type * as PortfolioArguments from './portfolio-arguments';
import { progressBar } from './progress-bar';
import { checkReportFiles, writeReport } from './report-files';
import { argumentsOf, commands } from './commands';

/** `daemon backtest FILE --data bid.csv,ask.csv`: runs a strategy over recorded prices and reports. */
export async function backtest(args: readonly string[]): Promise<void> {
  const { flags, words } = argumentsOf(commands.backtest, args);
  checkReportFiles(flags, words);
  const { portfolio } = flags;
  const given =
    portfolio === undefined
      ? backtestArguments(flags, words)
      : portfolioCommand().argumentsOf({ ...flags, portfolio }, words);
  const drawn = drawnOrders(flags);
  const broker = { ...backtestSettings(process.env), ...given.broker };
  const settings = { broker, limits: backtestLimits(process.env), barWaitMs: backtestBarWaitMs(process.env) };
  const onProgress = process.stderr.isTTY ? progressBar(process.stderr) : null;
  if ('portfolio' in given)
    return portfolioCommand().run(given, { ...given, ...settings, onProgress }, { ...flags, drawn });
  const result = await runBacktest({ ...given, ...settings, onProgress });
  const report = withTradeOrders(reportOf(result, given.spec, given.files), drawn);
  const { logs } = result;
  if (flags.out !== undefined)
    writeReport(
      'out',
      flags.out,
      `${JSON.stringify({ ...report, fills: result.fills, equity: result.equity, logs })}\n`,
    );
  if (flags.html !== undefined) {
    const { reportPage } = createRequire(__filename)('../backtest/report-page') as typeof ReportPage;
    writeReport('html', flags.html, await reportPage(report, { equity: result.equity, prices: result.prices, logs }));
  }
  if (flags.csv !== undefined) writeReport('csv', flags.csv, reportCsv(report.trades));
  if (flags.logs) process.stderr.write(logLines(logs));
  process.stdout.write(`${flags.json ? JSON.stringify(report, null, 2) : reportTable(report)}\n`);
}

/** Loaded when it is needed: a run of one strategy reads no configuration, and so needs no parser of it. */
function portfolioCommand(): {
  readonly argumentsOf: typeof PortfolioArguments.portfolioArguments;
  readonly run: typeof PortfolioBacktest.backtestPortfolio;
} {
  const load = createRequire(__filename);
  const { portfolioArguments } = load('./portfolio-arguments') as typeof PortfolioArguments;
  const { backtestPortfolio } = load('./portfolio-backtest') as typeof PortfolioBacktest;
  return { argumentsOf: portfolioArguments, run: backtestPortfolio };
}
