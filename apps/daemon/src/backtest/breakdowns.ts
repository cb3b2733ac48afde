import { sum } from './exact-sum';
import type { RoundTrip } from './round-trip';

/** The closed trades of one kind. */
export interface TradeGroup {
  readonly name: string;
  readonly trades: number;
  readonly wins: number;
  /** Their results, costs included, in the account's currency. */
  readonly profit: number;
}

/** The closed trades by group; groups without trades are left out. */
export interface Breakdowns {
  /** UTC hour of the entry: `00` to `23`. */
  readonly hour: readonly TradeGroup[];
  /** UTC weekday of the entry: `Monday` to `Sunday`. */
  readonly weekday: readonly TradeGroup[];
  readonly symbol: readonly TradeGroup[];
  /** `buy` and `sell`. */
  readonly side: readonly TradeGroup[];
  /** Those without a tag are {@link noTag}. */
  readonly tag: readonly TradeGroup[];
}

/** The group of trades without a tag; no tag has parentheses. */
export const noTag = '(no tag)';

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** Groups closed trades. */
export function breakdownsOf(trips: readonly RoundTrip[]): Breakdowns {
  const hour = ({ openedMs }: RoundTrip): string => new Date(openedMs).toISOString().slice(11, 13);
  const weekday = ({ openedMs }: RoundTrip): string => weekdays[(new Date(openedMs).getUTCDay() + 6) % 7] ?? '';
  const days = grouped(trips, weekday);
  return {
    hour: grouped(trips, hour),
    weekday: weekdays.flatMap((day) => days.find(({ name }) => name === day) ?? []),
    symbol: grouped(trips, ({ symbol }) => symbol),
    side: grouped(trips, ({ side }) => side),
    tag: grouped(trips, ({ tag }) => tag ?? noTag),
  };
}

/** The groups in the order of their names. */
function grouped(trips: readonly RoundTrip[], nameOf: (trip: RoundTrip) => string): readonly TradeGroup[] {
  const groups = new Map<string, RoundTrip[]>();
  for (const trip of trips) {
    const name = nameOf(trip);
    const known = groups.get(name);
    if (known) known.push(trip);
    else groups.set(name, [trip]);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, own]) => ({
      name,
      trades: own.length,
      wins: own.filter(({ realized }) => realized > 0).length,
      profit: sum(own.map(({ realized }) => realized)),
    }));
}
