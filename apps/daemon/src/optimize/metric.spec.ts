import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandUsage } from '../cli/usage';
import { figuresOf } from '../backtest/figures';
import type { BacktestResult } from '../backtest/backtest-result';
import { byMetric, goodness, isMetric, metricOf, metricText, metrics, scoreOf, type MetricName } from './metric';

const names = Object.keys(metrics).filter(isMetric);
const idle = { fills: [], rejects: [], equity: [], costs: new Map(), spreads: new Map(), startMs: 0, endMs: 1 };
const figures = figuresOf({ ...idle, realized: 0, unrealized: 0 } as Partial<BacktestResult> as BacktestResult, 1_000);

describe('the metrics of a search', () => {
  it.each(names.filter((name): name is MetricName => name !== 'recovery'))('%s is the figure of that name', (name) => {
    expect(metricOf(name, { ...figures, trades: 1, [name]: 12.5 })).toBe(12.5);
    expect(metricOf(name, { ...figures, trades: 1, [name]: 0 })).toBe(0);
  });

  it('include the change of the equity over the maximum drawdown, with floating results', () => {
    expect(metricOf('recovery', { ...figures, trades: 1, endEquity: 1_030, maxDrawdown: 20 })).toBe(1.5);
    expect(
      metricOf('recovery', { ...figures, trades: 1, netProfit: 30, openProfit: -50, endEquity: 980, maxDrawdown: 50 }),
    ).toBe(-0.4);
    expect(metricOf('recovery', { ...figures, trades: 1 })).toBeNull();
  });

  it.each(names)('%s is in the help and in docs/optimize.md', (name) => {
    expect(commandUsage.optimize).toMatch(new RegExp(`\\b${name}\\b`));
    expect(readFileSync(join(__dirname, '../../../../docs/optimize.md'), 'utf8')).toContain(`\`${name}\``);
  });
});

const gaining = { ...figures, trades: 3, netProfit: 30, grossProfit: 30, returnPct: 3, endEquity: 1_030 };
const winner = { ...gaining, volatilityPct: 2, profitFactor: null, sortino: null, calmar: null, sqn: null };
const loser = {
  ...{ ...figures, trades: 3, netProfit: -30, grossLoss: -30, returnPct: -3, endEquity: 970, maxDrawdown: 30 },
  ...{
    maxDrawdownPct: 3,
    volatilityPct: 2,
    sharpe: -2,
    sortino: -3,
    calmar: -4,
    cagrPct: -9,
    sqn: -1,
    profitFactor: 0,
    expectancy: -10,
    winRatePct: 0,
  },
};

describe('a figure that is not defined', () => {
  it.each(['profitFactor', 'sortino', 'calmar', 'recovery', 'sqn'] as const)(
    '%s of a gain without what it is divided by is above every other',
    (name) => {
      expect(byMetric(name, scoreOf(name, winner), scoreOf(name, loser))).toBeLessThan(0);
      expect(metricOf(name, winner)).toBeNull();
      expect(metricText(name, winner, 'USD')).toBe('unbounded');
    },
  );

  it.each(names)('%s of a set without trades is not better than that of a set that gains', (name) => {
    const measured = { ...winner, sharpe: 2, cagrPct: 9, expectancy: 10, winRatePct: 100, maxDrawdown: 5 };
    expect(byMetric(name, scoreOf(name, measured), scoreOf(name, figures))).toBeLessThan(0);
  });

  it.each(names)('%s of a set without trades ranks last, and is shown as missing', (name) => {
    expect(byMetric(name, scoreOf(name, figures), scoreOf(name, loser))).toBeGreaterThan(0);
    expect(metricText(name, figures, 'USD')).toBe('–');
  });

  it.each([
    ['netProfit', 'JPY', '-10'],
    ['expectancy', 'BHD', '-10.000'],
    ['maxDrawdown', 'JPY', '1235'],
    ['sharpe', 'JPY', '-1.50'],
  ] as const)('%s in %s is %s', (name, currency, text) => {
    expect(metricText(name, { ...loser, netProfit: -10, maxDrawdown: 1_234.5, sharpe: -1.5 }, currency)).toBe(text);
  });

  it.each(names)('%s of fewer trades than --min-trades is not ranked', (name) => {
    expect(scoreOf(name, gaining, 4)).toBeNull();
    expect(metricOf(name, gaining, 4)).toBeNull();
    expect(metricText(name, gaining, 'USD', 4)).toBe('too few trades');
    expect(scoreOf(name, { ...gaining, [name]: 7 }, 3)).toBe(scoreOf(name, { ...gaining, [name]: 7 }));
    expect(scoreOf(name, { ...gaining, [name]: 7 }, 3)).not.toBeNull();
  });

  it('keeps the order of two that are without bound', () => {
    expect(byMetric('sortino', Infinity, Infinity)).toBe(0);
  });
});

describe('the colour of a value', () => {
  it('is that of a loss below what is even, also for the best of losses', () => {
    expect(goodness('returnPct', -1, -4, -1)).toBe(-0.25);
    expect(goodness('returnPct', 2, -4, 2)).toBe(0.5);
    expect(goodness('profitFactor', 0.5, 0.5, 1.1)).toBe(-1);
    expect(goodness('sharpe', 0, 0, 0)).toBe(0);
  });

  it('is by the others, where a metric does not tell gains from losses', () => {
    expect([2, 3, 4].map((value) => goodness('maxDrawdownPct', value, 2, 4))).toEqual([1, -0, -1]);
    expect(goodness('winRatePct', 60, 60, 60)).toBe(0);
  });
});
