import { sum } from '../backtest/exact-sum';
import type { Figures } from '../backtest/figures';

interface Metric {
  readonly better: 'higher' | 'lower';
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
  netProfit: { better: 'higher', of: ({ netProfit }) => netProfit },
  returnPct: { better: 'higher', of: ({ returnPct }) => returnPct },
  sharpe: { better: 'higher', of: ({ sharpe }) => sharpe },
  cagrPct: { better: 'higher', of: ({ cagrPct }) => cagrPct },
  sortino: { better: 'higher', of: ({ sortino }) => sortino },
  calmar: { better: 'higher', of: ({ calmar }) => calmar },
  sqn: { better: 'higher', of: ({ sqn }) => sqn },
  profitFactor: { better: 'higher', of: ({ profitFactor }) => profitFactor },
  expectancy: { better: 'higher', of: ({ expectancy }) => expectancy },
  winRatePct: { better: 'higher', of: ({ winRatePct }) => winRatePct },
  recovery: {
    better: 'higher',
    of: (figures) => (figures.maxDrawdown > 0 ? Number((gainOf(figures) / figures.maxDrawdown).toFixed(4)) : null),
  },
  maxDrawdown: { better: 'lower', of: ({ maxDrawdown }) => maxDrawdown },
  maxDrawdownPct: { better: 'lower', of: ({ maxDrawdownPct }) => maxDrawdownPct },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;

export function isMetric(name: string): name is MetricName {
  return Object.hasOwn(metrics, name);
}

/** The value of a metric; null where a run has none, as a profit factor without losses. */
export function metricOf(name: MetricName, figures: Figures): number | null {
  return metrics[name].of(figures);
}

/** Negative when the first value is the better one; a run without a value is behind every other. */
export function byMetric(name: MetricName, a: number | null, b: number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return metrics[name].better === 'higher' ? b - a : a - b;
}
