/** The middle of some values. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A share of some values is at most this. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Runs the measurements in turns, so that a busy machine slows all of them. @returns the figures of each, one for each round */
export async function inTurns(rounds, measurements) {
  const figures = measurements.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, measure] of measurements.entries()) figures[index].push(await measure());
    process.stderr.write('.');
  }
  return figures;
}

/** The median of the ratios of two rows of figures, round by round. */
export function ratioOf(figures, yardsticks) {
  return median(figures.map((figure, round) => figure / yardsticks[round]));
}
