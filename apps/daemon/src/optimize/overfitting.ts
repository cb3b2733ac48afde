import { countText } from '@libs/gateway-client/figure-text';
import { tradingDaysAYear, dailySharpe } from '../backtest/sharpe';
import { backtestOverfitting, fewestCommonDays, type BacktestOverfitting } from './backtest-overfitting';
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
    probability: rounded(probability),
    sharpe: annual(sharpe),
    expected: annual(expected),
    skewness: rounded(skewness),
    kurtosis: rounded(kurtosis),
    set: own.set,
    sets: known.length,
    days: own.byDay.size,
  };
}

function overfitOf(known: readonly Changes[]): Overfitting['backtestOverfitting'] {
  const [first, ...others] = known;
  if (first === undefined || others.length === 0)
    return { undefinedBecause: 'fewer than two sets have a Sharpe ratio' };
  const common = [...first.byDay.keys()].filter((day) => others.every(({ byDay }) => byDay.has(day)));
  const found = backtestOverfitting(known.map(({ byDay }) => common.map((day) => byDay.get(day) ?? 0)));
  if (found === null) {
    return {
      undefinedBecause: `the sets have ${countText(common.length, 'day')} in common, and ${fewestCommonDays} are needed`,
    };
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

/** What the deflated Sharpe ratio of the best of many sets is made of. Sharpe ratios are of daily changes, not annualised. */
export interface DeflatedSharpe {
  /** Probability, 0 to 1, that the true Sharpe ratio of the set is above `expected`; null where it is not defined. */
  readonly probability: number | null;
  readonly sharpe: number;
  /** The highest Sharpe ratio that as many sets without any edge have on average; null where it is not defined. */
  readonly expected: number;
  /** Third and fourth standardised moment of the daily changes; 0 and 3 for a normal distribution. */
  readonly skewness: number;
  readonly kurtosis: number;
}

const eulerMascheroni = 0.577_215_664_901_532_9;

/**
 * The deflated Sharpe ratio: Bailey and López de Prado, The Deflated Sharpe Ratio, Journal of Portfolio Management 40 (5),
 * 2014, equation 2.
 * @param changes daily changes of the set that was chosen, as shares of one
 * @param trials Sharpe ratios of the daily changes of all sets that were tried, the chosen one included; two at least
 * @returns null for changes without a Sharpe ratio, and for fewer than two trials
 */
export function deflatedSharpe(changes: readonly number[], trials: readonly number[]): DeflatedSharpe | null {
  const sharpe = dailySharpe(changes);
  if (sharpe === null || trials.length < 2) return null;
  const expected = expectedMaximum(trials);
  const { skewness, kurtosis } = momentsOf(changes);
  const variance = 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe ** 2;
  // It is 0 for changes of two values alone, of which the estimate has no error that this formula could state.
  const isDefined = variance > 1e-12;
  const probability = normalCdf(((sharpe - expected) * Math.sqrt(changes.length - 1)) / Math.sqrt(variance));
  return { probability: isDefined ? probability : null, sharpe, expected, skewness, kurtosis };
}

/**
 * The maximum that is expected of independent draws around 0 with the variance of the trials: equation 1 of the same paper.
 * @param trials Sharpe ratios, two at least
 */
export function expectedMaximum(trials: readonly number[]): number {
  const mean = meanOf(trials);
  const variance = trials.reduce((sum, trial) => sum + (trial - mean) ** 2, 0) / (trials.length - 1);
  const [all, most] = [normalQuantile(1 - 1 / trials.length), normalQuantile(1 - 1 / (trials.length * Math.E))];
  return Math.sqrt(variance) * ((1 - eulerMascheroni) * all + eulerMascheroni * most);
}

/** Skewness and kurtosis of a sample, without a correction for its size. */
function momentsOf(values: readonly number[]): Pick<DeflatedSharpe, 'skewness' | 'kurtosis'> {
  const mean = meanOf(values);
  const moment = (power: number): number => meanOf(values.map((value) => (value - mean) ** power));
  const variance = moment(2);
  return { skewness: moment(3) / variance ** 1.5, kurtosis: moment(4) / variance ** 2 };
}

/** Beyond it, the distribution is 0 or 1 to more digits than are stated. */
const farthest = 8;

/**
 * The cumulative standard normal distribution, with an absolute error below 1e-14: the Taylor series of Marsaglia, Evaluating
 * the Normal Distribution, Journal of Statistical Software 11 (4), 2004.
 */
export function normalCdf(x: number): number {
  if (Math.abs(x) > farthest) return x > 0 ? 1 : 0;
  let [sum, before, term, odd] = [x, 0, x, 1];
  while (sum !== before) {
    before = sum;
    odd += 2;
    term *= (x * x) / odd;
    sum += term;
  }
  return 0.5 + (sum * Math.exp(-0.5 * x * x)) / Math.sqrt(2 * Math.PI);
}

/** The value below which a share of the standard normal distribution is: the inverse of {@link normalCdf} by bisection. */
export function normalQuantile(share: number): number {
  let [low, high] = [-farthest, farthest];
  for (let middle = 0; ; middle = (low + high) / 2) {
    if (normalCdf(middle) < share) low = middle;
    else high = middle;
    if (high - low < 1e-14) return (low + high) / 2;
    if ((low + high) / 2 === middle) return middle;
  }
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
