import { dailySharpe } from '../backtest/sharpe';

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
