import { columnsOf, type Curve } from './curve';

/** Below so many days no figure is made of daily changes. */
export const fewestDays = 5;

const dayMs = 86_400_000;
/** 1 January 1970 was a Thursday: the week before it began three days earlier. */
const daysSinceMonday = 3;

/** Number of a UTC day since 1970, and the change of an equity on it, as a share of one. */
export type DayChange = readonly [day: number, change: number];

/**
 * Changes of an equity from the close of a day to that of the next, as shares of one: UTC days from Monday to Friday that have
 * prices. The first is the change since the first point.
 */
export function dailyChanges(curve: Curve): readonly number[] {
  return changesByDay(curve).map(([, change]) => change);
}

/** As {@link dailyChanges}, with the days. */
export function changesByDay(curve: Curve): readonly DayChange[] {
  const { times, values } = columnsOf(curve);
  const closes = new Map<number, number>();
  // The last point of a day is its close. Times ascend, so most points are followed by one of the same UTC day.
  let nextDayMs = ((times.length === 0 ? 0 : Math.floor((times[0] ?? 0) / dayMs)) + 1) * dayMs;
  for (let at = 0; at < times.length; at++) {
    const followingMs = at + 1 === times.length ? Infinity : (times[at + 1] ?? 0);
    if (followingMs < nextDayMs) continue;
    closes.set(tradingDayOf(times[at] ?? 0), values[at] ?? 0);
    nextDayMs = (Math.floor(followingMs / dayMs) + 1) * dayMs;
  }
  let before = values[0] ?? 0;
  return Array.from(closes, ([day, equity]): DayChange => {
    const change = equity / before - 1;
    before = equity;
    return [day, change];
  });
}

/**
 * Number of the UTC day; of a weekend that of the Monday after it. A year of Sunday evenings beside the weekdays would
 * be some 310 days, not the 252 that the root is of.
 */
function tradingDayOf(timeMs: number): number {
  const day = Math.floor(timeMs / dayMs);
  const weekday = (day + daysSinceMonday) % 7;
  return weekday < 5 ? day : day + 7 - weekday;
}
