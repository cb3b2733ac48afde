import { tradingDaysAYear, dailySharpe } from '../backtest/sharpe';
import { backtestOverfitting, fewestCommonDays, type BacktestOverfitting } from './backtest-overfitting';
import { deflatedSharpe, type DeflatedSharpe } from './deflated-sharpe';
import { isIdle } from './metric';
import type { SearchRow } from './search';

/** A figure that has a value, or the reason why it has none. */
type Stated<Value> = ({ readonly undefinedBecause: null } & Value) | { readonly undefinedBecause: string };

/** How far the best of many sets may be luck. Sharpe ratios are annualised. */
export interface Overfitting {
  readonly deflatedSharpe: Stated<
    Omit<DeflatedSharpe, 'probability'> & {
      readonly probability: number;
      /** The best set by the metric of the search. */
      readonly set: number;
      /** Sets with a Sharpe ratio: those whose equity changed. */
      readonly sets: number;
      /** Days of the best set. */
      readonly days: number;
    }
  >;
  readonly backtestOverfitting: Stated<BacktestOverfitting & { readonly sets: number }>;
}

interface Changes {
  readonly set: number;
  readonly byDay: ReadonlyMap<number, number>;
  readonly sharpe: number;
}

/**
 * The figures against luck of a search.
 * @param best its best set; null when none has a value of the metric
 * @param isWalkForward whether the sets were run on parts of the period
 */
export function overfittingOf(rows: readonly SearchRow[], best: SearchRow | null, isWalkForward: boolean): Overfitting {
  const reason = isWalkForward
    ? 'a walk-forward tests its choices on later prices: read the figures out of sample'
    : reasonWithout(rows);
  if (reason !== null) {
    return { deflatedSharpe: { undefinedBecause: reason }, backtestOverfitting: { undefinedBecause: reason } };
  }
  const known = rows.flatMap((row) => changesOf(row) ?? []);
  return { deflatedSharpe: deflatedOf(best, known), backtestOverfitting: overfitOf(known) };
}

function reasonWithout(rows: readonly SearchRow[]): string | null {
  const results = rows.flatMap(({ result }) => result ?? []);
  if (results.length === 0) return 'no set has a result';
  if (results.every(({ days }) => days)) return null;
  return 'the results file has sets without daily changes: an earlier version wrote them';
}

/** Null for a set whose equity never changed, or that lost everything: later changes are then no shares of anything. */
function changesOf({ set, result }: SearchRow): Changes | null {
  const days = result?.days;
  if (!days || isIdle(result.figures) || days.some(([, change]) => !(change > -1))) return null;
  const sharpe = dailySharpe(days.map(([, change]) => change));
  return sharpe === null ? null : { set, byDay: new Map(days), sharpe };
}

function deflatedOf(best: SearchRow | null, known: readonly Changes[]): Overfitting['deflatedSharpe'] {
  if (best === null) return { undefinedBecause: 'no set has a value of the metric' };
  const own = known.find(({ set }) => set === best.set);
  if (own === undefined) return { undefinedBecause: 'the best set has no Sharpe ratio' };
  const found = deflatedSharpe(
    [...own.byDay.values()],
    known.map(({ sharpe }) => sharpe),
  );
  if (found === null) return { undefinedBecause: 'fewer than two sets have a Sharpe ratio' };
  const { probability, sharpe, expected, skewness, kurtosis } = found;
  if (probability === null) return { undefinedBecause: 'the daily changes of the best set have two values alone' };
  return {
    undefinedBecause: null,
    ...{ probability: rounded(probability), sharpe: annual(sharpe), expected: annual(expected) },
    ...{ skewness: rounded(skewness), kurtosis: rounded(kurtosis) },
    ...{ set: own.set, sets: known.length, days: own.byDay.size },
  };
}

function overfitOf(known: readonly Changes[]): Overfitting['backtestOverfitting'] {
  const [first, ...others] = known;
  if (first === undefined || others.length === 0)
    return { undefinedBecause: 'fewer than two sets have a Sharpe ratio' };
  const common = [...first.byDay.keys()].filter((day) => others.every(({ byDay }) => byDay.has(day)));
  const found = backtestOverfitting(known.map(({ byDay }) => common.map((day) => byDay.get(day) ?? 0)));
  if (found === null) {
    return { undefinedBecause: `the sets have ${common.length} days in common, and ${fewestCommonDays} are needed` };
  }
  return { undefinedBecause: null, ...found, probability: rounded(found.probability), sets: known.length };
}

/** A figure, its value, and what it means in one sentence. */
export function overfittingRows({
  deflatedSharpe: deflated,
  backtestOverfitting: overfit,
}: Overfitting): readonly (readonly [figure: string, value: string, meaning: string])[] {
  return [
    deflated.undefinedBecause === null
      ? [
          'deflated Sharpe ratio',
          percent(deflated.probability),
          `the confidence that the true Sharpe ratio of set ${deflated.set} is above ${deflated.expected.toFixed(2)}, which the best of ${deflated.sets} sets without any edge has on average by luck; 95 % or more is usually asked for`,
        ]
      : ['deflated Sharpe ratio', '–', `not defined: ${deflated.undefinedBecause}`],
    overfit.undefinedBecause === null
      ? [
          'probability of overfitting',
          percent(overfit.probability),
          `of ${overfit.splits} ways to split ${overfit.days} days into halves, the share in which the best of ${overfit.sets} sets on one half was not above the median on the other; luck alone gives some 50 %`,
        ]
      : ['probability of overfitting', '–', `not defined: ${overfit.undefinedBecause}`],
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function annual(sharpe: number): number {
  return rounded(sharpe * Math.sqrt(tradingDaysAYear));
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}
