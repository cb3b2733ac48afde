/** Nearest rank; null of nothing. */
export function percentile(values, percent) {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

const nanosPerMs = 1e6;

/** Shares of the events that are no slower than each member of a snapshot, less those no slower than the one before. */
const shares = { p50Nanos: 0.5, p95Nanos: 0.45, p99Nanos: 0.04, maxNanos: 0.01 };

/**
 * One stage of `GET /latency` over all strategies: the middle and the worst strategy's, and a bound for all events.
 * Percentiles of different strategies cannot be added up, but no event is slower than the next member of its strategy's
 * snapshot, and so the percentile of these members is at least that of the events.
 */
export function stageFigures({ strategies }, stage) {
  const snapshots = Object.values(strategies).flatMap((stages) => stages[stage] ?? []);
  const of = (member, percent) => {
    const members = snapshots.map((snapshot) => snapshot[member]);
    return toMs(percentile(members, percent));
  };
  return {
    count: snapshots.reduce((sum, { count }) => sum + count, 0),
    middleP50Ms: of('p50Nanos', 50),
    worstP50Ms: of('p50Nanos', 100),
    allP99Ms: toMs(boundOf(snapshots, 99)),
    worstP99Ms: of('p99Nanos', 100),
    maxMs: of('maxNanos', 100),
  };
}

function boundOf(snapshots, percent) {
  const weighed = snapshots
    .flatMap((snapshot) => Object.entries(shares).map(([member, share]) => [snapshot[member], snapshot.count * share]))
    .sort(([a], [b]) => a - b);
  const wanted = (percent / 100) * weighed.reduce((sum, [, weight]) => sum + weight, 0);
  let seen = 0;
  return weighed.find(([, weight]) => (seen += weight) >= wanted)?.[0] ?? null;
}

function toMs(nanos) {
  return nanos === null ? null : nanos / nanosPerMs;
}
