import { columnsOf, type Curve, type CurveColumns } from './curve';
import { dailyChanges, fewestDays } from './daily-changes';
import { drawdowns, type Drawdown } from './drawdown';
import { sharpeOfChanges, tradingDaysAYear } from './sharpe';

/** How an equity grew, and how evenly. All figures are null below five days with prices, and each figure where it is not defined. */
export interface Performance {
  /** Growth a year at the pace of the run (compound annual growth rate), in percent; null also when all is lost. */
  readonly cagrPct: number | null;
  /** Standard deviation of the daily changes times √252, in percent. */
  readonly volatilityPct: number | null;
  /** Mean over standard deviation of the daily changes, times √252. */
  readonly sharpe: number | null;
  /** As the Sharpe ratio, with the root mean square of the daily losses in place of the deviation; null without losses. */
  readonly sortino: number | null;
  /** Growth a year over the maximum drawdown, both in percent; null without a drawdown. */
  readonly calmar: number | null;
  /** Days with prices, from Monday to Friday, of which the figures of daily changes are made. */
  readonly tradingDays: number;
  /** Loss that 95 % of the days did not exceed, in percent of the equity: the nearest rank of the days of the run. */
  readonly valueAtRiskPct: number | null;
}

const yearMs = 365.25 * 86_400_000;
const tail = 0.05;

/**
 * The performance of an equity curve from its first point to its last.
 * @param drawdown of the curve, where the caller has it already
 */
export function performanceOf(curve: Curve, drawdown?: Drawdown): Performance {
  const columns = columnsOf(curve);
  const changes = dailyChanges(columns);
  if (changes.length < fewestDays) {
    return {
      cagrPct: null,
      volatilityPct: null,
      sharpe: null,
      sortino: null,
      calmar: null,
      tradingDays: changes.length,
      valueAtRiskPct: null,
    };
  }
  const cagrPct = growth(columns);
  const { maxDrawdownPct } = drawdown ?? drawdowns(columns);
  return {
    cagrPct,
    volatilityPct: rounded(deviation(changes) * Math.sqrt(tradingDaysAYear) * 100),
    sharpe: sharpeOfChanges(changes),
    sortino: sortinoOf(changes),
    calmar: cagrPct === null || maxDrawdownPct === 0 ? null : rounded(cagrPct / maxDrawdownPct),
    tradingDays: changes.length,
    valueAtRiskPct: rounded(Math.max(0, -lowTail(changes)) * 100),
  };
}

/**
 * The system quality number: mean over standard deviation of the results of trades, times the root of their number. Null
 * below two trades, or when all results are the same.
 */
export function sqnOf(results: readonly number[]): number | null {
  if (results.length < 2) return null;
  const spread = deviation(results);
  return spread > 0 ? rounded((mean(results) / spread) * Math.sqrt(results.length)) : null;
}

function growth({ times, values }: CurveColumns): number | null {
  const [startMs = 0, endMs = 0] = [times[0], times.at(-1)];
  const [first = 0, last = 0] = [values[0], values.at(-1)];
  if (last <= 0 || endMs <= startMs) return null;
  const percent = ((last / first) ** (yearMs / (endMs - startMs)) - 1) * 100;
  return Number.isFinite(percent) ? rounded(percent) : null;
}

function sortinoOf(changes: readonly number[]): number | null {
  const downside = Math.sqrt(mean(changes.map((change) => Math.min(0, change) ** 2)));
  return downside > 0 ? rounded((mean(changes) / downside) * Math.sqrt(tradingDaysAYear)) : null;
}

function lowTail(changes: readonly number[]): number {
  const ascending = [...changes].sort((a, b) => a - b);
  return ascending[Math.ceil(tail * ascending.length) - 1] ?? 0;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The sample's standard deviation. */
function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}
