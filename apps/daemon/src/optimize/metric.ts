import { sum } from '../backtest/exact-sum';
import { amountsIn, shortNumber } from '../backtest/figure-rows';
import type { Figures } from '../backtest/figures';

interface Metric {
  /** Its name for people. */
  readonly label: string;
  readonly better: 'higher' | 'lower';
  /** Between a gain and a loss; null for a metric that does not tell them apart. */
  readonly even: number | null;
  /** Whether it is an amount in the account's currency. */
  readonly isMoney?: true;
  readonly of: (figures: Figures) => number | null;
}

/** What a run gained, with the floating result of open positions: without it, a set that never closes a loss would gain. */
export function gainOf({ startEquity, endEquity }: Pick<Figures, 'startEquity' | 'endEquity'>): number {
  return sum([endEquity, -startEquity]);
}

/** The metric of a search that names none: it includes floating results. */
export const defaultMetric = 'returnPct';

/** What sets can be ranked by: figures of the report, and the change of the equity over the maximum drawdown. */
export const metrics = {
  netProfit: { label: 'net profit', better: 'higher', even: 0, isMoney: true, of: ({ netProfit }) => netProfit },
  returnPct: { label: 'return %', better: 'higher', even: 0, of: ({ returnPct }) => returnPct },
  sharpe: { label: 'Sharpe', better: 'higher', even: 0, of: ({ sharpe }) => sharpe },
  cagrPct: { label: 'CAGR %', better: 'higher', even: 0, of: ({ cagrPct }) => cagrPct },
  sortino: { label: 'Sortino', better: 'higher', even: 0, of: ({ sortino }) => sortino },
  calmar: { label: 'Calmar', better: 'higher', even: 0, of: ({ calmar }) => calmar },
  sqn: { label: 'system quality', better: 'higher', even: 0, of: ({ sqn }) => sqn },
  profitFactor: { label: 'profit factor', better: 'higher', even: 1, of: ({ profitFactor }) => profitFactor },
  expectancy: { label: 'expectancy', better: 'higher', even: 0, isMoney: true, of: ({ expectancy }) => expectancy },
  winRatePct: { label: 'win rate %', better: 'higher', even: null, of: ({ winRatePct }) => winRatePct },
  recovery: {
    label: 'recovery',
    better: 'higher',
    even: 0,
    of: (figures) => (figures.maxDrawdown > 0 ? Number((gainOf(figures) / figures.maxDrawdown).toFixed(4)) : null),
  },
  maxDrawdown: {
    label: 'max drawdown',
    better: 'lower',
    even: null,
    isMoney: true,
    of: ({ maxDrawdown }) => maxDrawdown,
  },
  maxDrawdownPct: { label: 'max drawdown %', better: 'lower', even: null, of: ({ maxDrawdownPct }) => maxDrawdownPct },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;

/** The name of a metric for people. */
export function metricLabel(name: MetricName): string {
  return metrics[name].label;
}

export function isMetric(name: string): name is MetricName {
  return Object.hasOwn(metrics, name);
}

/** Whether a run opened nothing: its drawdown of 0 is not a good one, and its result of 0 is no result. */
export function isIdle({ trades, open }: Pick<Figures, 'trades' | 'open'>): boolean {
  return trades === 0 && open === 0;
}

/**
 * The value of a metric; null where a run has none, as a profit factor without losses, opened nothing, or has too few trades to
 * be ranked.
 */
export function metricOf(name: MetricName, figures: Figures, minTrades = 0): number | null {
  if (figures.trades < minTrades || isIdle(figures)) return null;
  return metrics[name].of(figures);
}

/** What ranks a run: its value, Infinity for a gain without what the metric divides by, and null for no value. */
export function scoreOf(name: MetricName, figures: Figures, minTrades = 0): number | null {
  const value = metricOf(name, figures, minTrades);
  return value === null && figures.trades >= minTrades && isUnbounded(name, figures) ? Infinity : value;
}

/** How values of a metric are written: money with the digits of its currency. */
export function metricNumbers(name: MetricName, currency: string): (value: number | null) => string {
  const { isMoney }: Metric = metrics[name];
  return isMoney ? amountsIn(currency) : shortNumber;
}

/** The value of a metric for people, or the reason why there is none. */
export function metricText(name: MetricName, figures: Figures, currency: string, minTrades = 0): string {
  if (figures.trades < minTrades) return 'too few trades';
  if (scoreOf(name, figures, minTrades) === Infinity) return 'unbounded';
  return metricNumbers(name, currency)(metricOf(name, figures, minTrades));
}

function isUnbounded(name: MetricName, figures: Figures): boolean {
  // A volatility tells that the run had enough days for its daily changes to be measured.
  const gainedByDays = figures.volatilityPct !== null && gainOf(figures) > 0;
  switch (name) {
    case 'profitFactor':
      return figures.grossProfit > 0 && figures.grossLoss === 0;
    case 'sharpe':
    case 'sortino':
      return gainedByDays;
    case 'calmar':
      return gainedByDays && figures.maxDrawdownPct === 0;
    case 'recovery':
      return gainOf(figures) > 0 && figures.maxDrawdown === 0;
    case 'sqn':
      return figures.trades > 1 && figures.netProfit > 0;
    default:
      return false;
  }
}

/**
 * How good a value is among others, from -1 to 1: gains are above 0 and losses below it. Of a metric that does not tell them
 * apart, the middle of the others is 0.
 * @param low the least of the others, and
 * @param high the greatest
 */
export function goodness(name: MetricName, value: number, low: number, high: number): number {
  const { better, even } = metrics[name];
  const middle = even ?? (low + high) / 2;
  const farthest = Math.max(Math.abs(high - middle), Math.abs(low - middle));
  const share = farthest > 0 ? (value - middle) / farthest : 0;
  return better === 'higher' ? share : -share;
}

/** Negative when the first value is the better one; a run without a value is behind every other. */
export function byMetric(name: MetricName, a: number | null, b: number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (a === b) return 0;
  return metrics[name].better === 'higher' ? b - a : a - b;
}
