import { drawdowns } from '../backtest/drawdown';
import type { EquityPoint } from '../backtest/equity-curve';
import { sum } from '../backtest/exact-sum';
import { sharpeOf } from '../backtest/sharpe';
import { gainOf } from './metric';
import type { WindowRow } from './search';

/** Results of the chosen sets on the prices after those they were chosen on, one window after the other. */
export interface OutOfSample {
  /** Windows with a result, and those of them whose equity gained. */
  readonly windows: number;
  readonly profitableWindows: number;
  /** Result of all deals, without what was floating. */
  readonly netProfit: number;
  /** Floating result of the positions that were open at the end of each test part. */
  readonly openProfit: number;
  readonly trades: number;
  readonly maxDrawdown: number;
  readonly maxDrawdownPct: number;
  readonly sharpe: number | null;
  /** Change of the equity a day out of sample, in percent of that of the same sets in training; null where training lost. */
  readonly efficiencyPct: number | null;
  /** The equity, starting at the capital; each window continues from the end of the one before. */
  readonly curve: readonly EquityPoint[];
}

/** The windows as one result. Null when none has been tested. */
export function outOfSampleOf(windows: readonly WindowRow[], capital: number): OutOfSample | null {
  const tested = windows.flatMap(({ test, chosen }) =>
    test && chosen?.result ? [{ test, train: chosen.result }] : [],
  );
  if (tested.length === 0) return null;
  const results = tested.map(({ test }) => test);
  const curve: EquityPoint[] = [];
  let before = 0;
  for (const { startMs, endMs, figures, curve: own } of results) {
    curve.push([startMs, capital + before]);
    for (const [timeMs, equity] of own ?? []) curve.push([timeMs, rounded(equity + before)]);
    before = sum([before, figures.endEquity, -capital]);
    curve.push([endMs, rounded(capital + before)]);
  }
  const { maxDrawdown, maxDrawdownPct } = drawdowns(curve);
  return {
    windows: results.length,
    profitableWindows: results.filter(({ figures }) => gainOf(figures) > 0).length,
    netProfit: sum(results.map(({ figures }) => figures.netProfit)),
    openProfit: sum(results.map(({ figures }) => figures.openProfit)),
    trades: sum(results.map(({ figures }) => figures.trades)),
    ...{ maxDrawdown, maxDrawdownPct, sharpe: sharpeOf(curve) },
    efficiencyPct: efficiency(
      results,
      tested.map(({ train }) => train),
    ),
    curve,
  };
}

type Part = Pick<NonNullable<WindowRow['test']>, 'startMs' | 'endMs' | 'figures'>;

function efficiency(tests: readonly Part[], trainings: readonly Part[]): number | null {
  const training = profitADay(trainings);
  return training > 0 ? rounded((profitADay(tests) / training) * 100) : null;
}

function profitADay(parts: readonly Part[]): number {
  const days = parts.reduce((total, { startMs, endMs }) => total + (endMs - startMs), 0) / 86_400_000;
  return sum(parts.map(({ figures }) => gainOf(figures))) / Math.max(days, Number.EPSILON);
}

function rounded(value: number): number {
  return Number(value.toFixed(2));
}
