/** The probability of backtest overfitting of a search, and what it was counted over. */
export interface BacktestOverfitting {
  /** Share, 0 to 1, of the splits in which the best set of one half is not above the median of the other half. */
  readonly probability: number;
  /** Equal parts of the days; half of them are chosen on, the other half judges. */
  readonly parts: number;
  readonly splits: number;
  /** Days in these parts: what does not divide by the parts is omitted from the oldest days. */
  readonly days: number;
}

/** The paper uses 16 parts. Fewer than 8 have too few splits for a share of them. */
const [mostParts, fewestParts] = [16, 8];
const fewestDaysAPart = 2;
/** Additions in one search, at most: some seconds. */
const mostWork = 2e8;

// Bound once: looking globals up is slow in the sandbox that tests run in.
const { sqrt } = Math;
const nothing = new Float64Array();

/** Days that all sets need for {@link backtestOverfitting}. */
export const fewestCommonDays = fewestParts * fewestDaysAPart;

/**
 * The probability of backtest overfitting by combinatorially symmetric cross-validation: Bailey, Borwein, López de Prado and
 * Zhu, The Probability of Backtest Overfitting, Journal of Computational Finance 20 (4), 2017, section 3 (definition 2 and the
 * algorithm after it), with the Sharpe ratio of the daily changes as the measure.
 *
 * The days are cut into equal parts. For each choice of half of the parts, the set with the highest Sharpe ratio on them is
 * found, and its rank r among N sets on the other parts. The logit of r / (N + 1) is at most 0 where r is at most the median.
 * Equal sets share the mean of their ranks, and the first of equally good sets is the best.
 * @param sets the daily changes of each set on the same days, as shares of one
 * @returns null for fewer than two sets, or fewer than {@link fewestCommonDays} days
 */
export function backtestOverfitting(sets: readonly (readonly number[])[]): BacktestOverfitting | null {
  const all = sets[0]?.length ?? 0;
  if (sets.length < 2 || all < fewestCommonDays) return null;
  const parts = partsFor(all, sets.length);
  const length = Math.floor(all / parts);
  const sums = sets.map((changes) => partSums(changes.slice(all % parts), parts, length));
  const days = (length * parts) / 2;
  let [failed, splits] = [0, 0];
  const [first, second] = [new Float64Array(sets.length), new Float64Array(sets.length)];
  for (const half of halvesOf(parts)) {
    for (let set = 0; set < sets.length; set++) {
      const own = sums[set] ?? nothing;
      first[set] = sharpeOfParts(own, half, 1, days);
      second[set] = sharpeOfParts(own, half, 0, days);
    }
    // Each choice and its opposite are two splits with the same halves.
    failed += (isOverfit(first, second) ? 1 : 0) + (isOverfit(second, first) ? 1 : 0);
    splits += 2;
  }
  return { probability: failed / splits, parts, splits, days: length * parts };
}

function partsFor(days: number, sets: number): number {
  for (let parts = mostParts; parts > fewestParts; parts -= 2) {
    const isCheap = (combinations(parts) / 2) * parts * sets <= mostWork;
    if (isCheap && Math.floor(days / parts) >= fewestDaysAPart) return parts;
  }
  return fewestParts;
}

/** How many halves a number of parts has. */
function combinations(parts: number): number {
  let count = 1;
  for (let index = 1; index <= parts / 2; index++) count = (count * (parts / 2 + index)) / index;
  return Math.round(count);
}

/** Sum and sum of squares of the changes of each part. */
function partSums(changes: readonly number[], parts: number, length: number): Float64Array {
  const sums = new Float64Array(parts * 2);
  for (let at = 0; at < parts * length; at++) {
    const [part, change] = [Math.floor(at / length), changes[at] ?? 0];
    sums[part * 2] = (sums[part * 2] ?? 0) + change;
    sums[part * 2 + 1] = (sums[part * 2 + 1] ?? 0) + change ** 2;
  }
  return sums;
}

/** The halves that have the first part, as bits: each stands for itself and for its opposite. */
function* halvesOf(parts: number): Generator<number> {
  for (let bits = 1; bits < 1 << parts; bits += 2) {
    let count = 0;
    for (let rest = bits; rest > 0; rest &= rest - 1) count++;
    if (count === parts / 2) yield bits;
  }
}

/**
 * Mean over standard deviation of the parts of a half. A set that did not trade there has 0.
 * @param isInside 1 for the parts in the half, 0 for the other half
 */
function sharpeOfParts(sums: Float64Array, half: number, isInside: 0 | 1, days: number): number {
  let [sum, squares] = [0, 0];
  for (let part = 0; part * 2 < sums.length; part++) {
    if (((half >>> part) & 1) === isInside) {
      sum += sums[part * 2] ?? 0;
      squares += sums[part * 2 + 1] ?? 0;
    }
  }
  const variance = (squares - (sum * sum) / days) / (days - 1);
  // What is left of equal changes after rounding is no variance.
  if (variance <= (1e-12 * squares) / days) return sum === 0 ? 0 : sum * Infinity;
  return sum / days / sqrt(variance);
}

/** Whether the best of one half is not above the median on the other. */
function isOverfit(chosenOn: Float64Array, judgedOn: Float64Array): boolean {
  let best = 0;
  for (let set = 1; set < chosenOn.length; set++) if ((chosenOn[set] ?? 0) > (chosenOn[best] ?? 0)) best = set;
  const own = judgedOn[best] ?? 0;
  let [below, equal] = [0, 0];
  for (let set = 0; set < judgedOn.length; set++) {
    const other = judgedOn[set] ?? 0;
    if (other < own) below++;
    else if (other === own) equal++;
  }
  const rank = below + (equal + 1) / 2;
  return rank <= (judgedOn.length + 1) / 2;
}
