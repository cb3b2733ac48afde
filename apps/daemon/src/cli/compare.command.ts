import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { table, UsageError } from '@libs/command-line';
import { lotsText, moneyText, priceText, shownDigits } from '@libs/gateway-client';
import {
  compareReports,
  comparedFigures,
  type ComparedReport,
  type ComparedTrade,
  type Comparison,
} from '../backtest/compare-reports';
import type { ReportTrade } from '../backtest/excursions';
import type { DigitsOfSymbols } from '../backtest/open-rows';
import { shown } from '../backtest/period';
import type * as CompareLive from './compare-live';
import { argumentsOf, commands } from './commands';

/** Trades that the table lists of each kind; JSON has all. */
const mostListed = 10;

/**
 * `daemon compare FIRST.json SECOND.json`: two reports of `daemon backtest --out` side by side; `daemon compare NAME`: a live
 * strategy beside a backtest of the same days.
 */
export async function compare(args: readonly string[]): Promise<void> {
  const { flags, words } = argumentsOf(commands.compare, args);
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
  const reports = [readReport(first), readReport(second)] as const;
  const comparison = compareReports(...reports);
  process.stdout.write(
    `${flags.json ? JSON.stringify(comparison, null, 2) : comparisonTable(comparison, reports[0])}\n`,
  );
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

function comparisonTable({ settings, figures, trades }: Comparison, { assumptions }: ComparedReport): string {
  const { same, changed, onlyFirst, onlySecond } = trades;
  const price = pricesOf(
    [...changed.flatMap(({ first, second }) => [first, second]), ...onlyFirst, ...onlySecond],
    assumptions.symbols,
  );
  const rows = (values: Comparison['figures']) =>
    values.map(({ name, first, second }) => [first === second ? ' ' : '*', name, first, second]);
  return [
    settings.length === 0 ? 'The settings are the same.' : table(['', 'SETTING', 'FIRST', 'SECOND'], rows(settings)),
    table(['', 'FIGURE', 'FIRST', 'SECOND'], rows(figures)),
    `trades    ${same} the same, ${changed.length} changed, ${onlyFirst.length} only in the first, ${onlySecond.length} only in the second`,
    ...changedMembers(changed),
    ...listed(
      'changed',
      changed.map((trade) => changedLine(trade, price)),
    ),
    ...listed(
      'only in the first',
      onlyFirst.map((trade) => tradeLine(trade, price)),
    ),
    ...listed(
      'only in the second',
      onlySecond.map((trade) => tradeLine(trade, price)),
    ),
  ].join('\n\n');
}

type PriceText = (symbol: string, price: number) => string;

/** Prices with the digits of their symbols; of a report of an earlier version, those that its trades show. */
function pricesOf(trades: readonly ReportTrade[], symbols: DigitsOfSymbols): PriceText {
  const prices = new Map<string, number[]>();
  for (const { symbol, entryPrice, exitPrice } of trades) {
    const known = prices.get(symbol) ?? [];
    known.push(entryPrice, exitPrice);
    prices.set(symbol, known);
  }
  const digits = new Map([...prices].map(([symbol, all]) => [symbol, symbols[symbol]?.digits ?? shownDigits(all)]));
  return (symbol, price) => priceText(price, digits.get(symbol));
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

function changedLine({ first, second, differs }: ComparedTrade, price: PriceText): string {
  const values = differs.map((member) => {
    const moment = moments[member];
    const [before, after] = [first[member], second[member]].map((value) => {
      if (moment !== undefined) return new Date(Number(value)).toISOString();
      return member === 'entryPrice' || member === 'exitPrice' ? price(first.symbol, Number(value)) : String(value);
    });
    return `${moment ?? member} ${before} / ${after}`;
  });
  return `  ${entryText(first)}: ${values.join(', ')}`;
}

function tradeLine(trade: ReportTrade, price: PriceText): string {
  const [entry, exit] = [trade.entryPrice, trade.exitPrice].map((value) => price(trade.symbol, value));
  const closed = `closed ${shown(trade.closedMs)} at ${exit} (${trade.exitReason}), ${moneyText(trade.realized)}`;
  return `  ${entryText(trade)}: ${lotsText(trade.volume)} at ${entry}, ${closed}`;
}

function entryText({ side, symbol, openedMs }: ReportTrade): string {
  return `${shown(openedMs)} ${side} ${symbol}`;
}
