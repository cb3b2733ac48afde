import type { Curve } from './curve';
import { changesByDay } from './daily-changes';
import { sharpeOfChanges } from './sharpe';

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
