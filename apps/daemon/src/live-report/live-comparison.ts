import { Decimal } from 'decimal.js';
import { sum } from '../backtest/exact-sum';
import type { ComparedTrade } from './compared-trade';
import { partsOf, type PairFacts, type Part } from './pair-parts';

/** Something that is on record about an entry that one of both did not make. */
export interface Evidence {
  readonly cause: 'rejected' | 'denied' | 'late bar' | 'halted' | 'not running' | `the backtest ${string}`;
  /** As it is on record. */
  readonly detail: string;
}

/** What is on record about entries that one of both did not make. */
export interface Records {
  /** Null if nothing is on record about an entry. A record explains one entry at most, a time without trading all in it. */
  of(missing: ComparedTrade): Evidence | null;
}

export interface ComparedPair {
  readonly live: ComparedTrade;
  readonly backtest: ComparedTrade;
  readonly parts: readonly Part[];
}

export interface LoneTrade {
  readonly trade: ComparedTrade;
  readonly cause: string;
  /** What is on record; null if nothing is. */
  readonly detail: string | null;
}

/** The sum of what one cause has changed. */
export interface CauseSum extends Part {
  readonly trades: number;
}

/** Live trades beside those of a backtest of the same days. */
export interface LiveComparison {
  readonly live: { readonly trades: number; readonly net: number };
  readonly backtest: { readonly trades: number; readonly net: number };
  /** Live minus backtest. */
  readonly difference: number;
  /** They sum up to the difference. The largest first, and what is not explained last. */
  readonly causes: readonly CauseSum[];
  readonly pairs: readonly ComparedPair[];
  readonly onlyLive: readonly LoneTrade[];
  readonly onlyBacktest: readonly LoneTrade[];
}

/** What is known beside the trades. */
export interface ComparisonFacts {
  readonly fromMs: number;
  /** Entries within this time are the same entry, in milliseconds. */
  readonly toleranceMs: number;
  /** What is on record about entries that the live strategy did not make; null if its records cannot be used. */
  readonly live: Records | null;
  /** What is on record about entries that the backtest did not make. */
  readonly backtest: Records;
  readonly pairFacts: (live: ComparedTrade) => Omit<PairFacts, 'toleranceMs'>;
}

const openedBefore = 'opened before the period';
const notExplained = 'not explained';

/** Pairs the trades by their entries, and divides the difference of their results by causes. */
export function compareWithBacktest(
  live: readonly ComparedTrade[],
  backtest: readonly ComparedTrade[],
  facts: ComparisonFacts,
): LiveComparison {
  const earlier = live.filter(({ openedMs }) => openedMs < facts.fromMs);
  const own = live.filter(({ openedMs }) => openedMs >= facts.fromMs);
  const matched = pairsOf(own, backtest, facts.toleranceMs);
  const pairs = matched.map(([first, second]): ComparedPair => {
    const of = { ...facts.pairFacts(first), toleranceMs: facts.toleranceMs };
    return { live: first, backtest: second, parts: partsOf(first, second, of) };
  });
  const paired = new Set(matched.flat());
  const onlyLive = [
    ...earlier.map((trade): LoneTrade => ({ trade, cause: openedBefore, detail: null })),
    ...own.filter((trade) => !paired.has(trade)).map((trade) => loneTrade(trade, facts.backtest)),
  ];
  const onlyBacktest = backtest.filter((trade) => !paired.has(trade)).map((trade) => loneTrade(trade, facts.live));
  return comparisonOf(pairs, onlyLive, onlyBacktest);
}

/** The comparison of several strategies as a whole. */
export function joined(comparisons: readonly LiveComparison[]): LiveComparison {
  const byEntry = (a: ComparedTrade, b: ComparedTrade): number => a.openedMs - b.openedMs;
  return comparisonOf(
    comparisons.flatMap(({ pairs }) => pairs).sort((a, b) => byEntry(a.live, b.live)),
    comparisons.flatMap(({ onlyLive }) => onlyLive).sort((a, b) => byEntry(a.trade, b.trade)),
    comparisons.flatMap(({ onlyBacktest }) => onlyBacktest).sort((a, b) => byEntry(a.trade, b.trade)),
  );
}

function loneTrade(trade: ComparedTrade, records: Records | null): LoneTrade {
  const found = records?.of(trade) ?? null;
  return { trade, cause: found?.cause ?? notExplained, detail: found?.detail ?? null };
}

function comparisonOf(
  pairs: readonly ComparedPair[],
  onlyLive: readonly LoneTrade[],
  onlyBacktest: readonly LoneTrade[],
): LiveComparison {
  const live = totalOf([...pairs.map((pair) => pair.live), ...onlyLive.map(({ trade }) => trade)]);
  const backtest = totalOf([...pairs.map((pair) => pair.backtest), ...onlyBacktest.map(({ trade }) => trade)]);
  return {
    live,
    backtest,
    difference: sum([live.net, -backtest.net]),
    causes: causesOf(pairs, onlyLive, onlyBacktest),
    pairs,
    onlyLive,
    onlyBacktest,
  };
}

function totalOf(trades: readonly ComparedTrade[]): LiveComparison['live'] {
  return { trades: trades.length, net: sum(trades.map(({ net }) => net)) };
}

/** Trades of one symbol and side with the nearest entries; each trade is in one pair at most. */
function pairsOf(
  live: readonly ComparedTrade[],
  backtest: readonly ComparedTrade[],
  toleranceMs: number,
): readonly (readonly [ComparedTrade, ComparedTrade])[] {
  const candidates = live.flatMap((first) =>
    backtest
      .filter(({ symbol, side }) => symbol === first.symbol && side === first.side)
      .map((second) => ({ first, second, apartMs: Math.abs(first.openedMs - second.openedMs) }))
      .filter(({ apartMs }) => apartMs <= toleranceMs),
  );
  const taken = new Set<ComparedTrade>();
  const pairs: [ComparedTrade, ComparedTrade][] = [];
  for (const { first, second } of candidates.sort((a, b) => a.apartMs - b.apartMs)) {
    if (taken.has(first) || taken.has(second)) continue;
    taken.add(first).add(second);
    pairs.push([first, second]);
  }
  return pairs.sort(([a], [b]) => a.openedMs - b.openedMs);
}

function causesOf(
  pairs: readonly ComparedPair[],
  onlyLive: readonly LoneTrade[],
  onlyBacktest: readonly LoneTrade[],
): readonly CauseSum[] {
  const parts: readonly Part[] = [
    ...pairs.flatMap((pair) => pair.parts),
    ...onlyLive.map(({ cause, trade }) => ({ cause: `only live: ${cause}`, amount: trade.net })),
    ...onlyBacktest.map(({ cause, trade }) => ({ cause: `only in the backtest: ${cause}`, amount: -trade.net })),
  ];
  const sums = new Map<string, { amount: Decimal; trades: number }>();
  for (const { cause, amount } of parts) {
    const before = sums.get(cause) ?? { amount: new Decimal(0), trades: 0 };
    sums.set(cause, { amount: before.amount.plus(amount), trades: before.trades + 1 });
  }
  const isLast = ({ cause }: CauseSum): number => (cause.endsWith(notExplained) ? 1 : 0);
  return [...sums]
    .map(([cause, { amount, trades }]) => ({ cause, amount: amount.toNumber(), trades }))
    .sort((a, b) => isLast(a) - isLast(b) || Math.abs(b.amount) - Math.abs(a.amount));
}
