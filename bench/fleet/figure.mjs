/** The head of the table that {@link row} makes. */
export const head = ['figure', 'must be', 'median', 'longest', 'of'];

/**
 * Times of one kind.
 * @param times in milliseconds
 * @param limitMs of the longest; null: none
 */
export function figure(name, times, limitMs = null) {
  const sorted = [...times].sort((one, other) => one - other);
  const [median, longest] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted.at(-1)];
  return { name, count: sorted.length, median, longest, limitMs };
}

export function row({ name, count, median, longest, limitMs }) {
  return [name, limitMs === null ? '' : `< ${words(limitMs)}`, words(median), words(longest), String(count)];
}

/** Why a figure does not hold; null if it does. */
export function problemOf({ name, longest, limitMs }) {
  return limitMs === null || longest < limitMs ? null : `${name}: ${words(longest)}, must be < ${words(limitMs)}`;
}

function words(ms) {
  return ms < 1_000 ? `${ms.toFixed(0)} ms` : `${Number((ms / 1_000).toFixed(1))} s`;
}
