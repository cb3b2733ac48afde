import type { BacktestResult } from '../backtest/backtest-result';
import { figuresOf } from '../backtest/figures';
import { outOfSampleOf } from './optimize-report';
import type { WindowRow } from './search';
import type { SetResult } from './set-run';

const dayMs = 86_400_000;
const capital = 10_000;

/** A run of a day with this result of closed positions, and this floating result of open ones. */
function resultOf(startMs: number, realized: number, unrealized: number): SetResult {
  const idle = { fills: [], rejects: [], equity: [], costs: new Map(), spreads: new Map() };
  const run: Partial<BacktestResult> = { ...idle, startMs, endMs: startMs + dayMs, realized, unrealized };
  const figures = figuresOf(run as BacktestResult, capital);
  return { startMs, endMs: startMs + dayMs, figures, haltReason: null, curve: [] };
}

/** A window of which training and test had these results, closed and floating. */
function windowOf(window: number, train: readonly [number, number], test: readonly [number, number]): WindowRow {
  const trainFromMs = window * dayMs;
  const testFromMs = trainFromMs + dayMs;
  return {
    ...{ window, trainFromMs, testFromMs, testToMs: testFromMs + dayMs },
    chosen: { set: 0, params: {}, window, result: resultOf(trainFromMs, ...train), error: null },
    ...{ test: resultOf(testFromMs, ...test), error: null },
  };
}

describe('the figures out of sample', () => {
  it('count the floating result of positions that are open at the end of a part', () => {
    // Every part closes its gains only: 500 in each training, 100 in each test.
    const windows = [windowOf(0, [500, -100], [100, -300]), windowOf(1, [500, -500], [100, 0])];
    expect(outOfSampleOf(windows, capital)).toMatchObject({
      ...{ windows: 2, netProfit: 200, openProfit: -300 },
      ...{ profitableWindows: 1, efficiencyPct: -25 },
    });
  });

  it('have no efficiency if the chosen sets lost in training with their open positions', () => {
    const windows = [windowOf(0, [500, -600], [100, 0])];
    expect(outOfSampleOf(windows, capital)).toMatchObject({ profitableWindows: 1, efficiencyPct: null });
  });
});
