import { countText, currencyDigits } from '@libs/gateway-client/figure-text';
import { heldText, type BasketBenchmark, type Benchmark } from '../benchmark';
import { noTag } from '../breakdowns';
import { amountsIn, shortNumber } from '../figure-rows';
import { isAnnual } from '../short-run';
import { openHeadings, openRow, type DigitsOfSymbols, type OpenRow } from '../open-rows';
import { shown } from '../period';
import type { BacktestReport } from '../report';
import {
  noTradeOrders,
  tradeOrderHeadings,
  tradeOrderRows,
  tradeOrderTexts,
  type WithTradeOrders,
} from '../trade-order-rows';
import { escaped, money, resultClass, scrolledTable, type Cell } from './markup';

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The figures of the strategy beside those of buy and hold. */
export function benchmarkPart(
  benchmark: Benchmark | BasketBenchmark | null,
  figures: BacktestReport['figures'],
  subject = 'strategy',
): string {
  if (benchmark === null) return '';
  const row = (name: string, of: Omit<Benchmark, 'symbol'>): readonly Cell[] => [
    ...[
      name,
      ...[of.returnPct, isAnnual(figures) ? of.cagrPct : null, of.volatilityPct, of.sharpe, of.sortino].map((value) =>
        shortNumber(value),
      ),
    ],
    ...[isAnnual(figures) ? of.calmar : null, of.valueAtRiskPct, of.maxDrawdownPct].map((value) => shortNumber(value)),
  ];
  const names = [
    '',
    'return %',
    'CAGR %',
    'volatility %',
    'Sharpe',
    'Sortino',
    'Calmar',
    'daily VaR 95 %',
    'max drawdown %',
  ];
  return tableOf('Compared with buy and hold', names, [
    row(subject, figures),
    row(`${heldText(benchmark)}, held without leverage and costs`, benchmark),
  ]);
}

/** Return of each month in percent, a row for each year. */
export function monthsPart({ months }: Pick<BacktestReport, 'months'>): string {
  const greatest = Math.max(0.01, ...months.map(({ returnPct }) => Math.abs(returnPct)));
  const years = [...new Set(months.map(({ month }) => month.slice(0, 4)))];
  const rows = years.map((year) => {
    const own = monthNames.map((_, index): Cell => {
      const found = months.find(({ month }) => month === `${year}-${String(index + 1).padStart(2, '0')}`);
      if (!found) return '';
      const { returnPct, trades, maxDrawdownPct } = found;
      const title = `${found.month}: ${countText(trades, 'trade')}, max drawdown ${shortNumber(maxDrawdownPct)} %`;
      if (returnPct === 0) return { title, text: trades === 0 ? '–' : '0.00' };
      const share = Math.abs(returnPct) / greatest;
      return { title, share, mark: returnPct < 0 ? 'b' : 'g', text: money(returnPct) };
    });
    const growth = months
      .filter(({ month }) => month.startsWith(year))
      .reduce((product, { returnPct }) => product * (1 + returnPct / 100), 1);
    return [{ text: year, mark: 'year' }, ...own, money((growth - 1) * 100)];
  });
  return tableOf('Return of each month, %', ['', ...monthNames, 'year'], rows, 'heat years');
}

export function drawdownPart({ drawdowns, account }: Pick<BacktestReport, 'drawdowns' | 'account'>): string {
  const amount = amountsIn(account.currency);
  if (drawdowns.length === 0) return '';
  const rows = drawdowns.map(({ fromMs, lowestMs, recoveredMs, depth, depthPct }) => [
    ...[shown(fromMs), shown(lowestMs), recoveredMs === null ? 'not recovered' : shown(recoveredMs)],
    ...[shortNumber(depthPct), amount(depth)],
  ]);
  return tableOf('Drawdowns, the deepest first', ['from', 'lowest', 'recovered', 'depth %', 'depth'], rows);
}

/** Results by hour, weekday, symbol and side, and by tag if there is one. */
export function breakdownParts({ breakdowns, account }: Pick<BacktestReport, 'breakdowns' | 'account'>): string {
  const digits = currencyDigits(account.currency);
  const titles = {
    hour: 'UTC hour of entry',
    weekday: 'UTC weekday of entry',
    symbol: 'symbol',
    side: 'side',
    tag: 'tag',
  } as const;
  const isTagged = breakdowns.tag.some(({ name }) => name !== noTag);
  const kinds = (Object.keys(titles) as (keyof typeof titles)[]).filter((kind) => kind !== 'tag' || isTagged);
  const parts = kinds.map((kind) => {
    const rows = breakdowns[kind].map(({ name, trades, wins, profit }): readonly Cell[] => [
      ...[name, String(trades), shortNumber((wins / trades) * 100)],
      { text: money(profit, digits), mark: resultClass(profit) },
    ]);
    return rows.length === 0
      ? ''
      : `<div>${tableOf(`By ${titles[kind]}`, ['', 'trades', 'win rate %', 'profit'], rows)}</div>`;
  });
  return `<div class="groups tables">${parts.join('')}</div>`;
}

export function rejectPart({ rejects }: Pick<BacktestReport, 'rejects'>): string {
  if (rejects.length === 0) return '';
  const rows = rejects.map(({ count, kind, reason }) => [reason, kind, String(count)]);
  return tableOf('Rejects', ['reason', 'kind', 'times'], rows);
}

export function openPart(open: readonly OpenRow[], symbols: DigitsOfSymbols, currency: string): string {
  if (open.length === 0) return '';
  const rows = open.map((one) => openRow(one, symbols, currency));
  return tableOf('Still open', ['opened', ...openHeadings(open)], rows);
}

/** Other orders of the trades, where they were asked for. */
export function tradeOrderPart({ monteCarlo, account }: WithTradeOrders): string {
  if (monteCarlo === undefined) return '';
  if (monteCarlo === null) return `<p>${noTradeOrders}</p>`;
  const [, ...headings] = tradeOrderHeadings;
  const texts = tradeOrderTexts(monteCarlo).map((text) => `<p>${escaped(text)}</p>`);
  const rows = tradeOrderRows(monteCarlo, account.currency);
  return `${tableOf('Other orders of the trades', ['', ...headings], rows)}${texts.join('')}`;
}

/** A table under a title. */
export function tableOf(
  title: string,
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  name = '',
): string {
  return `<h2>${escaped(title)}</h2>${scrolledTable(title, names, rows, name)}`;
}
