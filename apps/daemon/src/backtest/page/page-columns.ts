import { currencyDigits } from '@libs/gateway-client/figure-text';
import { sum } from '../exact-sum';
import type { BacktestColumns, BacktestReport } from '../report';
import { rollingSharpe } from '../sharpe';
import { innerBar, packedRows } from './packed-rows';
import type { PackedTrade, PageData } from './page-data';

/**
 * Points of a line: more than any screen has pixels. Beyond it bars are joined and points left out, so that a page of years
 * still opens; the first that keeps the data below {@link mostBytes} counts.
 */
const levels = [30_000, 20_000, 14_000, 10_000, 7_000, 5_000, 3_000] as const;
/** With scripts and tables, the page stays below a megabyte. */
const mostBytes = 850_000;

/** What the page needs of a report. */
export interface PageReport {
  readonly trades: readonly (BacktestReport['trades'][number] & { readonly strategy?: string })[];
  readonly account: { readonly capital: number; readonly currency: string };
  readonly benchmark: { readonly symbol: string } | null;
}

/** The result of a strategy of a portfolio: its equity, moved to the capital of the account. */
export interface NamedResult {
  readonly name: string;
  readonly equity: BacktestColumns['equity'];
}

/** The columns of a run as its page carries them. @param results the strategies of a portfolio; none for one strategy */
export function pageColumns(
  report: PageReport,
  columns: Omit<BacktestColumns, 'logs'>,
  results: readonly NamedResult[] = [],
): PageData {
  const rolling = rollingPart(report, columns);
  const at = (most: number): PageData => ({ ...columnsWith(most, report, columns, results), ...rolling });
  const found = levels.slice(0, -1).find((most) => JSON.stringify(at(most)).length <= mostBytes);
  return at(found ?? levels[levels.length - 1] ?? 0);
}

function rollingPart({ account }: PageReport, { equity }: Omit<BacktestColumns, 'logs'>): Pick<PageData, 'rolling'> {
  const first = equity[0];
  const rolling = first === undefined ? null : rollingSharpe([[first[0], account.capital], ...equity]);
  return rolling === null ? {} : { rolling };
}

function columnsWith(
  most: number,
  { trades, account, benchmark }: PageReport,
  { equity, prices }: Omit<BacktestColumns, 'logs'>,
  results: readonly NamedResult[],
): PageData {
  const firstMs = Math.min(prices[0]?.[0] ?? Infinity, equity[0]?.[0] ?? Infinity);
  const startMs = Number.isFinite(firstMs) ? firstMs : 0;
  const seconds = (timeMs: number): number => Math.round((timeMs - startMs) / 1_000);
  const digits =
    prices.length === 0 ? digitsOfTrades(trades) : digitsOf(prices.slice(-100).flatMap((bar) => bar.slice(1)));
  const points = (price: number): number => Math.round(price * 10 ** digits);
  const symbols = [...new Set(trades.map(({ symbol }) => symbol))];
  const strategies = results.map(({ name }) => name);
  const moneyDigits = currencyDigits(account.currency);
  const packedEquity = (points: BacktestColumns['equity']): readonly number[] =>
    packedRows(
      grouped(points, most).flatMap((group) =>
        extremes(group).map(([timeMs, value]) => [seconds(timeMs), Math.round(value * 10 ** moneyDigits)]),
      ),
    );
  const reasons = [...new Set(trades.map(({ exitReason }) => exitReason))];
  const tags = [...new Set(trades.flatMap(({ tag }) => tag ?? []))];
  return {
    startMs,
    digits,
    moneyDigits,
    symbols,
    reasons,
    capital: account.capital,
    charted: benchmark?.symbol ?? '',
    bars: packedRows(
      grouped(prices, most).map((group) => {
        const [first, last] = [group[0], group.at(-1)];
        const high = Math.max(...group.map((bar) => bar[2]));
        const low = Math.min(...group.map((bar) => bar[3]));
        const bar = [points(first?.[1] ?? 0), points(high), points(low), points(last?.[4] ?? 0)] as const;
        return [seconds(first?.[0] ?? startMs), ...innerBar(bar)];
      }),
    ),
    equity: packedEquity(equity),
    trades: trades.map((trade): PackedTrade => {
      const { side, openedMs, closedMs, volume, entryPrice, exitPrice, realized, excursion } = trade;
      return [
        ...([
          (openedMs - startMs) / 1_000,
          (closedMs - startMs) / 1_000,
          side === 'buy' ? 1 : 0,
          symbols.indexOf(trade.symbol),
        ] as const),
        ...([volume, entryPrice, exitPrice, reasons.indexOf(trade.exitReason)] as const),
        ...([sum([trade.commission, trade.swap]), realized] as const),
        ...([excursion?.mae ?? null, excursion?.mfe ?? null] as const),
      ];
    }),
    ...(tags.length === 0 ? {} : { tags, taggedAs: trades.map(({ tag }) => (tag === null ? -1 : tags.indexOf(tag))) }),
    ...(results.length === 0
      ? {}
      : {
          strategies,
          madeBy: trades.map(({ strategy = '' }) => strategies.indexOf(strategy)),
          results: results.map((one) => packedEquity(one.equity)),
        }),
  };
}

function grouped<Point>(points: readonly Point[], most: number): Point[][] {
  const size = Math.max(1, Math.ceil(points.length / most));
  return Array.from({ length: Math.ceil(points.length / size) }, (_, index) =>
    points.slice(index * size, (index + 1) * size),
  );
}

/** Lowest and highest of a group in their order: a drawdown has to be seen at any scale. */
function extremes(group: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  if (group.length < 3) return group;
  const byValue = [...group].sort((a, b) => a[1] - b[1]);
  return [byValue[0], byValue.at(-1)].flatMap((point) => (point ? [point] : [])).sort((a, b) => a[0] - b[0]);
}

/** Digits of the prices of trades. The average price of a position that is closed in parts has more than prices have. */
function digitsOfTrades(trades: PageReport['trades']): number {
  return Math.min(5, digitsOf(trades.slice(-100).flatMap(({ entryPrice, exitPrice }) => [entryPrice, exitPrice])));
}

/** Digits behind the point that the prices use. */
function digitsOf(prices: readonly number[]): number {
  return prices.reduce((most, price) => Math.max(most, String(price).split('.')[1]?.length ?? 0), 0);
}
