import type { Curve } from './curve';
import { dailyChanges, fewestDays } from './daily-changes';

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
