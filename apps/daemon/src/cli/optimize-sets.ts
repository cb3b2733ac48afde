import { createReadStream } from 'node:fs';
import { brokerCurrency } from '../backtest/broker-flags';
import { optimizeCsv } from '../optimize/optimize-csv';
import { optimizePage } from '../optimize/optimize-page';
import { optimizeReport, reportedRow, type ReportedRow } from '../optimize/optimize-report';
import { ProcessHost } from '../optimize/process-host';
import { ResultsFile } from '../optimize/results-file';
import { confirm, isScreened, rowOf, shownOf, trainingOf, type Search, type SearchRow } from '../optimize/search';
import type { SearchedStrategy } from '../optimize/searched-strategy';
import { axesOf, setLines, type WrongLine } from '../optimize/set-lines';
import { Sweep, type SweepTask } from '../optimize/sweep';
import type { NumberedSet } from '../optimize/parameter-sets';
import type { OptimizeArguments } from './optimize-arguments';
import { writeReport } from './report-files';

/** Exit code of a program that Ctrl-C has ended. */
const interrupted = 130;

/**
 * Runs the sets of `--sets` as they come, and answers each with a line of JSON as soon as it is known. The last line is the
 * report without its rows.
 */
export async function optimizeSets(
  given: OptimizeArguments & { readonly sets: string },
  strategy: SearchedStrategy,
  base: Search['base'],
  { csv, html }: { readonly csv?: string; readonly html?: string },
): Promise<number> {
  const { metric, minTrades } = given;
  const shown = given.noKernel ? null : given.top;
  const currency = brokerCurrency(base.broker ?? {});
  const search: Search = { sets: [], metric, minTrades, windows: null, base, shown };
  const text = given.sets === '-' ? process.stdin : createReadStream(given.sets);
  const sets = new Map<string, NumberedSet>();
  const results = ResultsFile.inMemory();
  const answer = (row: ReportedRow | ReturnType<typeof refusal>): void => {
    process.stdout.write(`${JSON.stringify(row)}\n`);
  };
  const hosts = Array.from({ length: given.jobs }, () => new ProcessHost());
  const sweep = new Sweep(hosts, results, {
    note: (_outcome, _wasKept, name) => {
      const set = sets.get(name);
      const row = set && rowOf(results, set, null);
      if (row) answer(reportedRow(row, { metric, minTrades, currency }));
    },
  });
  const stop = (): void => {
    sweep.stop();
    text.destroy();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const rowsNow = (): SearchRow[] => [...sets.values()].flatMap((set) => rowOf(results, set, null) ?? []);
  try {
    await sweep.follow(tasksOf());
    // Each was answered before it was known which would be best.
    await confirm(search, sweep, () => shownOf(search, rowsNow()));
  } finally {
    hosts.forEach((host) => host.end());
  }

  const known = [...sets.values()];
  const rows = rowsNow();
  const counts = { sets: known.length, gridSets: known.length, runs: known.length };
  const plan = { axes: axesOf(known), where: [], random: null, metric, minTrades, walkForward: null, ...counts };
  const report = optimizeReport({ ...base.spec, currency }, strategy, base.files, plan, {
    rows,
    windows: null,
    isUnconfirmed: shownOf(search, rows).some(isScreened),
  });
  if (csv !== undefined) writeReport('csv', csv, optimizeCsv(report));
  if (html !== undefined) writeReport('html', html, optimizePage(report, rows));
  process.stdout.write(`${JSON.stringify({ report: { ...report, rows: undefined } })}\n`);
  if (sweep.wasStopped) return interrupted;
  if (report.screening.disagreements > 0) return 1;
  return report.rows.some(({ error }) => error === null) ? 0 : 1;

  async function* tasksOf(): AsyncGenerator<SweepTask> {
    for await (const set of setLines(text, (line) => answer(refusal(line)))) {
      const task = trainingOf(search, set, null);
      sets.set(task.name, set);
      yield task;
    }
  }
}

/** The answer to a line that is not a set, with the members of the others. */
function refusal({ set, error }: WrongLine) {
  const nothing = {
    params: null,
    metric: null,
    metricText: null,
    neighbours: null,
    run: null,
    proof: null,
    engineReason: null,
  };
  return { set, window: null, ...nothing, error } as const;
}
