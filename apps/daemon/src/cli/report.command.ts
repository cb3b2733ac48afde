import { createRequire } from 'node:module';
import { SystemClock } from '@libs/clock';
import { reportCsv } from '../backtest/trades-csv';
import { timeframeFor } from '../live-report/live-bars';
import type * as LivePage from '../live-report/live-page';
import { liveReportOf } from '../live-report/live-report';
import { readSymbols } from '../live-report/live-symbols';
import { liveTable } from '../live-report/live-table';
import { drawnOrders, withTradeOrders } from './drawn-orders';
import { historyOf, liveArguments } from './live-arguments';
import { argumentsOf, commands } from './commands';
import { checkReportFiles, writeReport } from './report-files';

/** `daemon report NAME`: the report of a backtest for what a live strategy or portfolio did. */
export async function report(args: readonly string[]): Promise<void> {
  const { flags, words } = argumentsOf(commands.report, args);
  checkReportFiles(flags);
  const given = liveArguments('report', flags, words);
  const drawn = drawnOrders(flags);
  const history = await historyOf(given, flags);
  const timeframe = timeframeFor(history.span);
  const symbols = await readSymbols(history, timeframe);
  const { report: plain, columns } = liveReportOf(history, symbols, timeframe, new SystemClock().nowMs());
  const made = { report: withTradeOrders(plain, drawn), columns };
  if (flags.out !== undefined) {
    writeReport('out', flags.out, `${JSON.stringify({ ...made.report, equity: made.columns.equity })}\n`);
  }
  if (flags.html !== undefined) {
    const { livePage } = createRequire(__filename)('../live-report/live-page') as typeof LivePage;
    writeReport('html', flags.html, await livePage(made.report, made.columns));
  }
  if (flags.csv !== undefined) writeReport('csv', flags.csv, reportCsv(made.report.trades));
  process.stdout.write(`${flags.json ? JSON.stringify(made.report, null, 2) : liveTable(made.report)}\n`);
}
