import { columnsOf, extended, type Curve, type CurveColumns } from './curve';
import { drawdowns } from './drawdown';
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
export function monthsOf(curve: Curve, trips: readonly RoundTrip[], capital: number): readonly Month[] {
  const closings = byMonth(trips);
  let before = capital;
  return monthParts(columnsOf(curve)).map(([month, part]) => {
    const startEquity = before;
    const endEquity = part.values.at(-1) ?? startEquity;
    before = endEquity;
    const closed = closings.get(month) ?? [];
    const { maxDrawdownPct } = drawdowns(extended(part, [part.times[0] ?? 0, startEquity]));
    return {
      month,
      profit: sum([endEquity, -startEquity]),
      trades: closed.length,
      maxDrawdownPct,
      endEquity,
      returnPct: Number(((endEquity / startEquity - 1) * 100).toFixed(4)),
      wins: closed.filter(({ realized }) => realized > 0).length,
    };
  });
}

/** The parts of a curve in each month. */
function monthParts({ times, values }: CurveColumns): readonly (readonly [month: string, part: CurveColumns])[] {
  const parts: (readonly [string, CurveColumns])[] = [];
  for (let first = 0; first < times.length;) {
    const { month, untilMs } = monthAt(times[first] ?? 0);
    let end = first + 1;
    while (end < times.length && (times[end] ?? 0) < untilMs) end++;
    parts.push([month, { times: times.subarray(first, end), values: values.subarray(first, end) }]);
    first = end;
  }
  return parts;
}

/** Trades by the month in which they closed. */
function byMonth(trips: readonly RoundTrip[]): ReadonlyMap<string, readonly RoundTrip[]> {
  const groups = new Map<string, RoundTrip[]>();
  for (const trip of trips) {
    const { month } = monthAt(trip.closedMs);
    const known = groups.get(month);
    if (known) known.push(trip);
    else groups.set(month, [trip]);
  }
  return groups;
}

function monthAt(timeMs: number): { readonly month: string; readonly untilMs: number } {
  const day = new Date(timeMs);
  return {
    month: day.toISOString().slice(0, 7),
    untilMs: Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1),
  };
}
