/** A row of the table. @param times in milliseconds */
export function figure(name, times) {
  const sorted = [...times].sort((one, other) => one - other);
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN;
  return [name, words(median), words(sorted.at(-1) ?? NaN), String(times.length)];
}

function words(ms) {
  return ms < 1_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
