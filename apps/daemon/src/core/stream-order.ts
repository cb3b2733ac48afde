import type { Stream } from '@libs/strategy';
import { timeframeMs } from './timeframe';

type Ranked = Pick<Stream, 'alias' | 'symbol' | 'timeframe'>;

/**
 * Orders streams as their bars of one instant are delivered: the longer timeframe first, then by symbol, then by alias.
 * The order in which a configuration lists them has no effect.
 */
export function compareStreams(a: Ranked, b: Ranked): number {
  return lengthOf(b) - lengthOf(a) || compareTexts(a.symbol, b.symbol) || compareTexts(a.alias, b.alias);
}

/** Streams in the order of {@link compareStreams}. */
export function inStreamOrder<Each extends Ranked>(streams: readonly Each[]): Each[] {
  return [...streams].sort(compareStreams);
}

/** The stream of each symbol with the shortest timeframe, by symbol. @param streams in the order of {@link compareStreams} */
export function finestStreams<Each extends Ranked>(streams: readonly Each[]): Each[] {
  const symbols = [...new Set(streams.map(({ symbol }) => symbol))].sort(compareTexts);
  return symbols.flatMap((symbol) => finestOf(streams.filter((stream) => stream.symbol === symbol)) ?? []);
}

/** The stream with the shortest timeframe; the first of them where there are several. */
export function finestOf<Each extends Ranked>(streams: readonly Each[]): Each | undefined {
  const shortest = Math.min(...streams.map(lengthOf));
  return streams.find((stream) => lengthOf(stream) === shortest);
}

/** Months are longer than everything else. */
function lengthOf({ timeframe }: Ranked): number {
  return timeframeMs(timeframe) ?? 31 * 86_400_000;
}

/** By code units: the order must not depend on the language of the machine. */
function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
