import type { Curve } from './curve';
import { dailyChanges, fewestDays, changesByDay } from './daily-changes';

/** The root of the days in a year by which daily figures become annual ones. */
export const tradingDaysAYear = 252;

/**
 * The Sharpe ratio of an equity curve: mean over standard deviation of its daily changes in percent (UTC days from
 * Monday to Friday that have prices), without a risk-free rate, times √252. Null below five days, or when nothing changed.
 */
export function sharpeOf(curve: Curve): number | null {
  return sharpeOfChanges(dailyChanges(curve));
}

/** As {@link sharpeOf}, of daily changes. */
export function sharpeOfChanges(changes: readonly number[]): number | null {
  const daily = dailySharpe(changes);
  return daily === null ? null : Number((daily * Math.sqrt(tradingDaysAYear)).toFixed(4));
}

/** As {@link sharpeOfChanges}, of a day instead of a year, and not rounded. */
export function dailySharpe(changes: readonly number[]): number | null {
  if (changes.length < fewestDays) return null;
  const mean = changes.reduce((sum, change) => sum + change, 0) / changes.length;
  const variance = changes.reduce((sum, change) => sum + (change - mean) ** 2, 0) / (changes.length - 1);
  return variance > 0 ? mean / Math.sqrt(variance) : null;
}

/** The Sharpe ratio of the days up to each day. */
export interface RollingSharpe {
  /** Trading days that each value is made of. */
  readonly days: number;
  /** The end of the last of those days, UTC milliseconds, and their ratio; null where it is not defined. */
  readonly points: readonly (readonly [endMs: number, sharpe: number | null])[];
}

const dayMs = 86_400_000;
/** Days of a window for a run of at least so many days: half a year for a year, a month for a quarter. */
const windows = [
  [252, 126],
  [63, 21],
] as const;

/** The Sharpe ratio over time; null for a run of less than a quarter. */
export function rollingSharpe(curve: Curve): RollingSharpe | null {
  const changes = changesByDay(curve);
  const days = windows.find(([least]) => changes.length >= least)?.[1];
  if (days === undefined) return null;
  const values = changes.map(([, change]) => change);
  const points = changes.slice(days - 1).map(([day], index) => {
    return [(day + 1) * dayMs, sharpeOfChanges(values.slice(index, index + days))] as const;
  });
  return { days, points };
}
