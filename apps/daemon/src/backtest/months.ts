import { drawdowns } from './drawdown';
import type { EquityPoint } from './equity-curve';
import { sum } from './exact-sum';
import type { RoundTrip } from './round-trips';

/** One calendar month (UTC) of a run. */
export interface Month {
  /** `2012-02`. */
  readonly month: string;
  /** Change of the equity, floating results included, in the account's currency. */
  readonly profit: number;
  readonly returnPct: number;
  /** Trades closed in it. */
  readonly trades: number;
  readonly wins: number;
  readonly maxDrawdownPct: number;
  readonly endEquity: number;
}

/**
 * A run by months.
 * @param curve its equity, from the capital at the start to the end
 */
export function monthsOf(
  curve: readonly EquityPoint[],
  trips: readonly RoundTrip[],
  capital: number,
): readonly Month[] {
  const groups = byMonth(curve, ([timeMs]) => timeMs);
  const closings = byMonth(trips, ({ closedMs }) => closedMs);
  let before = capital;
  return [...groups].map(([month, points]) => {
    const startEquity = before;
    const endEquity = points.at(-1)?.[1] ?? startEquity;
    before = endEquity;
    const closed = closings.get(month) ?? [];
    const { maxDrawdownPct } = drawdowns([[points[0]?.[0] ?? 0, startEquity], ...points]);
    return {
      ...{ month, profit: sum([endEquity, -startEquity]), trades: closed.length, maxDrawdownPct, endEquity },
      returnPct: Number(((endEquity / startEquity - 1) * 100).toFixed(4)),
      wins: closed.filter(({ realized }) => realized > 0).length,
    };
  });
}

/** Items in the order of their times, by the month of each. */
function byMonth<Item>(items: readonly Item[], timeOf: (item: Item) => number): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  let [group, untilMs]: [Item[], number] = [[], -Infinity];
  for (const item of items) {
    const timeMs = timeOf(item);
    if (timeMs >= untilMs) {
      const day = new Date(timeMs);
      const month = day.toISOString().slice(0, 7);
      untilMs = Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1);
      group = groups.get(month) ?? [];
      groups.set(month, group);
    }
    group.push(item);
  }
  return groups;
}
