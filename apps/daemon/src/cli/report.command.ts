import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { SystemClock } from '@libs/clock';
import { reportCsv } from '../backtest/trades-csv';
import { timeframeFor } from '../live-report/live-bars';
import type * as LivePage from '../live-report/live-page';
import { liveReportOf } from '../live-report/live-report';
import { readSymbols } from '../live-report/live-symbols';
import { liveTable } from '../live-report/live-table';
import { ensureWritable } from './backtest.command';
import { drawnOrders, withTradeOrders } from './drawn-orders';
import { historyOf, liveArguments } from './live-arguments';
import { argumentsOf, commands } from './commands';

/** `daemon report NAME`: the report of a backtest for what a live strategy or portfolio did. */
export async function report(args: readonly string[]): Promise<void> {
  const { flags, words } = argumentsOf(commands.report, args);
  const given = liveArguments('report', flags, words);
  const drawn = drawnOrders(flags);
  for (const path of [flags.html, flags.out, flags.csv]) if (path !== undefined) ensureWritable(path);
  const history = await historyOf(given, flags);
  const timeframe = timeframeFor(history.span);
  const symbols = await readSymbols(history, timeframe);
  const { report: plain, columns } = liveReportOf(history, symbols, timeframe, new SystemClock().nowMs());
  const made = { report: withTradeOrders(plain, drawn), columns };
  if (flags.out !== undefined) {
    writeFileSync(flags.out, `${JSON.stringify({ ...made.report, equity: made.columns.equity })}\n`);
  }
  if (flags.html !== undefined) {
    const { livePage } = createRequire(__filename)('../live-report/live-page') as typeof LivePage;
    writeFileSync(flags.html, await livePage(made.report, made.columns));
  }
  if (flags.csv !== undefined) writeFileSync(flags.csv, reportCsv(made.report.trades));
  process.stdout.write(`${flags.json ? JSON.stringify(made.report, null, 2) : liveTable(made.report)}\n`);
}
