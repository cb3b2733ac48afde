import type { Stream } from '@libs/strategy';

/** How many past bars, by the alias of each stream of a strategy. */
export type BarsByStream = Readonly<Record<string, number>>;

/** The past that a strategy has at its start. */
export interface Past {
  /** Bars that its history begins with: at least those that are played in. */
  readonly needed: BarsByStream;
  /** Of those, the newest, for which its handlers are called. */
  readonly played: BarsByStream;
}

/** The past of a strategy with these `warmupBars` and `historyBars`. @throws Error as {@link barsByStream} */
export function pastOf(warmupBars: unknown, historyBars: unknown, streams: readonly Pick<Stream, 'alias'>[]): Past {
  const played = barsByStream('warmupBars', warmupBars, streams);
  const kept = barsByStream('historyBars', historyBars, streams);
  const needed = Object.entries(played).map(([alias, count]) => [alias, Math.max(count, kept[alias] ?? 0)] as const);
  return { needed: Object.fromEntries(needed), played };
}

/**
 * What a strategy asks for, for each of its streams: a number for all, or one for each that it names.
 * @param name of the option
 * @throws Error for a value that is not a count of bars, and for a stream that is not configured
 */
function barsByStream(name: string, wanted: unknown, streams: readonly Pick<Stream, 'alias'>[]): BarsByStream {
  const aliases = streams.map(({ alias }) => alias);
  if (typeof wanted !== 'object' || wanted === null) {
    return Object.fromEntries(aliases.map((alias) => [alias, countOf(name, wanted, '')]));
  }
  const counts = new Map<string, unknown>(Object.entries(wanted));
  const unknown = [...counts.keys()].find((alias) => !aliases.includes(alias));
  if (unknown !== undefined) {
    throw new Error(`${name} names the stream ${unknown}; the configuration has ${aliases.join(', ')}`);
  }
  return Object.fromEntries(aliases.map((alias) => [alias, countOf(name, counts.get(alias) ?? 0, ` for ${alias}`)]));
}

/** The past of a strategy for people: `20 bars to warm up`, or `3000 past bars, 20 of them to warm up`. */
export function pastText(past: { readonly pastBars: BarsByStream; readonly warmupBars: BarsByStream }): string {
  const [all, played] = [countsText(past.pastBars), countsText(past.warmupBars)];
  return all === played
    ? `${played} ${played === '1' ? 'bar' : 'bars'} to warm up`
    : `${all} past bars, ${played} of them to warm up`;
}

/** One number where all are the same. */
function countsText(bars: BarsByStream): string {
  const counts = Object.values(bars);
  const [first = 0] = counts;
  if (counts.every((count) => count === first)) return String(first);
  return Object.entries(bars)
    .map(([alias, count]) => `${alias} ${count}`)
    .join(', ');
}

function countOf(name: string, count: unknown, where: string): number {
  if (typeof count === 'number' && count >= 0 && Number.isFinite(count)) return Math.ceil(count);
  throw new Error(`${name} must be a number of bars, or an object of them by stream; it is ${String(count)}${where}`);
}
