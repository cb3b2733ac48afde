import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseArguments, table, UsageError } from '@libs/command-line';
import {
  compareReports,
  comparedFigures,
  type ComparedReport,
  type ComparedTrade,
  type Comparison,
} from '../backtest/compare-reports';
import type { ReportTrade } from '../backtest/excursions';
import { shown } from '../backtest/period';
import { compareLiveFlags } from './live-flags';
import type * as CompareLive from './compare-live';

/** Trades that the table lists of each kind; JSON has all. */
const mostListed = 10;

/**
 * `daemon compare FIRST.json SECOND.json`: two reports of `daemon backtest --out` side by side; `daemon compare NAME`: a live
 * strategy beside a backtest of the same days.
 */
export async function compare(args: readonly string[]): Promise<void> {
  const { flags, words } = parseArguments(args, compareLiveFlags, ['NAME or FIRST.json', 'SECOND.json']);
  const [first, second] = words;
  if (first === undefined) {
    throw new UsageError('compare needs two reports, as backtest --out writes them, or the name of a live strategy');
  }
  if (second === undefined && first.endsWith('.json'))
    throw new UsageError(`compare needs a second report beside ${first}`);
  if (second === undefined) {
    const { compareLive } = createRequire(__filename)('./compare-live') as typeof CompareLive;
    return compareLive(flags, words);
  }
  const [other] = Object.keys(flags).filter((name) => name !== 'json');
  if (other !== undefined)
    throw new UsageError(`--${other} is for the comparison of a live strategy, not of two reports`);
  const comparison = compareReports(readReport(first), readReport(second));
  process.stdout.write(`${flags.json ? JSON.stringify(comparison, null, 2) : comparisonTable(comparison)}\n`);
}

/** @throws UsageError naming the file and what is wrong with it */
function readReport(path: string): ComparedReport {
  let report: unknown;
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const members = typeof report === 'object' && report !== null ? (report as Readonly<Record<string, unknown>>) : {};
  const owner = 'portfolio' in members ? (['portfolio', 'strategies'] as const) : (['strategy'] as const);
  const wanted = [...owner, 'account', 'range', 'assumptions', 'figures', 'trades'] as const;
  const missing = wanted.filter((name) => typeof members[name] !== 'object' || members[name] === null);
  if (missing.length > 0 || !Array.isArray(members['trades'])) {
    throw new UsageError(
      `${path} is not a report of backtest --out: it has no ${missing.join(', ') || 'list of trades'}`,
    );
  }
  try {
    comparedFigures(report as ComparedReport);
  } catch {
    throw new UsageError(`${path} lacks figures: another version wrote it; run its backtest again`);
  }
  return report as ComparedReport;
}

function comparisonTable({ settings, figures, trades }: Comparison): string {
  const { same, changed, onlyFirst, onlySecond } = trades;
  const rows = (values: Comparison['figures']) =>
    values.map(({ name, first, second }) => [first === second ? ' ' : '*', name, first, second]);
  return [
    settings.length === 0 ? 'The settings are the same.' : table(['', 'SETTING', 'FIRST', 'SECOND'], rows(settings)),
    table(['', 'FIGURE', 'FIRST', 'SECOND'], rows(figures)),
    `trades    ${same} the same, ${changed.length} changed, ${onlyFirst.length} only in the first, ${onlySecond.length} only in the second`,
    ...changedMembers(changed),
    ...listed('changed', changed.map(changedLine)),
    ...listed('only in the first', onlyFirst.map(tradeLine)),
    ...listed('only in the second', onlySecond.map(tradeLine)),
  ].join('\n\n');
}

function listed(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const more = lines.length > mostListed ? [`  and ${lines.length - mostListed} more`] : [];
  return [[`${title}:`, ...lines.slice(0, mostListed), ...more].join('\n')];
}

/** Moments, which are shown to the millisecond: a latency moves them by less than a minute. */
const moments: Readonly<Partial<Record<ComparedTrade['differs'][number], string>>> = {
  openedMs: 'opened',
  closedMs: 'closed',
};

/** How many of the changed trades differ in which members. */
function changedMembers(changed: readonly ComparedTrade[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const member of changed.flatMap(({ differs }) => differs)) {
    const name = moments[member] ?? member;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts.size === 0 ? [] : [`differing ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}`];
}

function changedLine({ first, second, differs }: ComparedTrade): string {
  const values = differs.map((member) => {
    const moment = moments[member];
    const [before, after] = [first[member], second[member]].map((value) =>
      moment === undefined ? String(value) : new Date(Number(value)).toISOString(),
    );
    return `${moment ?? member} ${before} / ${after}`;
  });
  return `  ${entryText(first)}: ${values.join(', ')}`;
}

function tradeLine(trade: ReportTrade): string {
  return `  ${entryText(trade)}: ${trade.volume} lots at ${trade.entryPrice}, closed ${shown(trade.closedMs)} at ${trade.exitPrice} (${trade.exitReason}), ${trade.realized}`;
}

function entryText({ side, symbol, openedMs }: ReportTrade): string {
  return `${shown(openedMs)} ${side} ${symbol}`;
}
