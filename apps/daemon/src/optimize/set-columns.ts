import { shortNumber } from '../backtest/figure-rows';
import type { Figures } from '../backtest/figures';
import type { MetricName } from './metric';

const columns = [
  ['net profit', 'netProfit'],
  ['floating', 'openProfit'],
  ['return %', 'returnPct'],
  ['trades', 'trades'],
  ['max drawdown %', 'maxDrawdownPct'],
  ['sharpe', 'sharpe'],
] as const satisfies readonly (readonly [heading: string, figure: keyof Figures])[];

/** The figures that table and page show of a set beside the metric, which has a column of its own. */
export function figureHeadings(metric: MetricName): readonly string[] {
  return columnsBeside(metric).map(([heading]) => heading);
}

/** Their values as text; `–` for a set without a result. */
export function figureCells(metric: MetricName, figures: Figures | null): readonly string[] {
  return columnsBeside(metric).map(([, figure]) => {
    const value = figures?.[figure] ?? null;
    return figure === 'trades' && value !== null ? String(value) : shortNumber(value);
  });
}

function columnsBeside(metric: MetricName): readonly (typeof columns)[number][] {
  return columns.filter(([, figure]) => figure !== metric);
}
