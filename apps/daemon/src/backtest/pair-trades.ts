import type { ReportTrade } from './excursions';

/** Entries of one decision are apart by the latency, or by a bar of a minute. */
const toleranceMs = 60_000;

type Trade = ReportTrade & { readonly strategy?: string };

/** The trades of the first run, each with that of the second one or null, and what is left of the second. */
export interface PairedTrades {
  readonly pairs: readonly (readonly [first: ReportTrade, second: ReportTrade | null])[];
  readonly onlySecond: readonly ReportTrade[];
}

/**
 * Pairs the trades of two runs by strategy, symbol and side: first those that were opened at the same moment, in their order,
 * then the nearest that were opened up to a minute apart.
 */
export function pairTrades(first: readonly Trade[], second: readonly Trade[]): PairedTrades {
  const partners = new Map<Trade, Trade>();
  const atMoment = grouped(second, (trade) => `${kindOf(trade)} ${trade.openedMs}`);
  for (const trade of first) {
    const other = atMoment.get(`${kindOf(trade)} ${trade.openedMs}`)?.shift();
    if (other) partners.set(trade, other);
  }
  const left = grouped([...atMoment.values()].flat(), kindOf);
  const unpaired = first.filter((trade) => !partners.has(trade));
  for (const [kind, trades] of grouped(unpaired, kindOf)) {
    for (const [trade, other] of nearest(inTime(trades), inTime(left.get(kind) ?? []))) partners.set(trade, other);
  }
  const taken = new Set(partners.values());
  return {
    pairs: first.map((trade) => [trade, partners.get(trade) ?? null]),
    onlySecond: second.filter((trade) => !taken.has(trade)),
  };
}

function* nearest(first: readonly Trade[], second: readonly Trade[]): Generator<readonly [Trade, Trade]> {
  const taken = new Set<Trade>();
  let from = 0;
  for (const trade of first) {
    while ((second[from]?.openedMs ?? Infinity) < trade.openedMs - toleranceMs) from++;
    let best: Trade | null = null;
    for (let at = from; ; at++) {
      const other = second[at];
      if (!other || other.openedMs > trade.openedMs + toleranceMs) break;
      if (!taken.has(other) && (best === null || apart(trade, other) < apart(trade, best))) best = other;
    }
    if (best === null) continue;
    taken.add(best);
    yield [trade, best];
  }
}

function apart(one: Trade, other: Trade): number {
  return Math.abs(one.openedMs - other.openedMs);
}

function inTime(trades: readonly Trade[]): readonly Trade[] {
  return [...trades].sort((a, b) => a.openedMs - b.openedMs);
}

function grouped(trades: readonly Trade[], key: (trade: Trade) => string): Map<string, Trade[]> {
  const groups = new Map<string, Trade[]>();
  for (const trade of trades) {
    const group = groups.get(key(trade));
    if (group) group.push(trade);
    else groups.set(key(trade), [trade]);
  }
  return groups;
}

/** Trades of a portfolio are distinguished by their strategy as well. */
function kindOf({ symbol, side, strategy = '' }: Trade): string {
  return `${strategy} ${symbol} ${side}`;
}
