import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandUsage } from '../cli/usage';
import { figuresOf } from '../backtest/figures';
import type { BacktestResult } from '../backtest/backtest-result';
import { isMetric, metricOf, metrics, type MetricName } from './metric';

const names = Object.keys(metrics).filter(isMetric);
const idle = { fills: [], rejects: [], equity: [], costs: new Map(), spreads: new Map(), startMs: 0, endMs: 1 };
const figures = figuresOf({ ...idle, realized: 0, unrealized: 0 } as Partial<BacktestResult> as BacktestResult, 1_000);

describe('the metrics of a search', () => {
  it.each(names.filter((name): name is MetricName => name !== 'recovery'))('%s is the figure of that name', (name) => {
    expect(metricOf(name, { ...figures, [name]: 12.5 })).toBe(12.5);
    expect(metricOf(name, { ...figures, [name]: 0 })).toBe(0);
  });

  it('include the change of the equity over the maximum drawdown, with floating results', () => {
    expect(metricOf('recovery', { ...figures, endEquity: 1_030, maxDrawdown: 20 })).toBe(1.5);
    expect(metricOf('recovery', { ...figures, netProfit: 30, openProfit: -50, endEquity: 980, maxDrawdown: 50 })).toBe(
      -0.4,
    );
    expect(metricOf('recovery', figures)).toBeNull();
  });

  it.each(names)('%s is in the help and in docs/optimize.md', (name) => {
    expect(commandUsage.optimize).toMatch(new RegExp(`\\b${name}\\b`));
    expect(readFileSync(join(__dirname, '../../../../docs/optimize.md'), 'utf8')).toContain(`\`${name}\``);
  });
});
