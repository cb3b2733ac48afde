import type { Stream } from '@libs/strategy';

/** How many past bars a strategy has played in, by the alias of each of its streams. */
export type WarmupByStream = Readonly<Record<string, number>>;

/**
 * What a strategy asks for, for each of its streams: a number for all, or one for each that it names.
 * @throws Error for a value that is not a count of bars, and for a stream that is not configured
 */
export function warmupByStream(wanted: unknown, streams: readonly Pick<Stream, 'alias'>[]): WarmupByStream {
  const aliases = streams.map(({ alias }) => alias);
  if (typeof wanted !== 'object' || wanted === null) {
    return Object.fromEntries(aliases.map((alias) => [alias, countOf(wanted, '')]));
  }
  const counts = new Map<string, unknown>(Object.entries(wanted));
  const unknown = [...counts.keys()].find((alias) => !aliases.includes(alias));
  if (unknown !== undefined) {
    throw new Error(`warmupBars names the stream ${unknown}; the configuration has ${aliases.join(', ')}`);
  }
  return Object.fromEntries(aliases.map((alias) => [alias, countOf(counts.get(alias) ?? 0, ` for ${alias}`)]));
}

/** The counts for people: one number where all are the same. */
export function warmupText(bars: WarmupByStream): string {
  const counts = Object.values(bars);
  const [first = 0] = counts;
  if (counts.every((count) => count === first)) return String(first);
  return Object.entries(bars)
    .map(([alias, count]) => `${alias} ${count}`)
    .join(', ');
}

function countOf(count: unknown, where: string): number {
  if (typeof count === 'number' && count >= 0 && Number.isFinite(count)) return Math.ceil(count);
  throw new Error(
    `warmupBars must be a number of bars, or an object of them by stream; it is ${String(count)}${where}`,
  );
}
