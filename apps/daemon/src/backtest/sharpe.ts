import type { EquityPoint } from './equity-curve';

const tradingDaysAYear = 252;
const fewestDays = 5;
const dayMs = 86_400_000;
/** 1 January 1970 was a Thursday: the week before it began three days earlier. */
const daysSinceMonday = 3;

/**
 * The Sharpe ratio of an equity curve: mean over standard deviation of its daily changes in percent (UTC days from
 * Monday to Friday that have prices), without a risk-free rate, times √252. Null below five days, or when nothing changed.
 */
export function sharpeOf(curve: readonly EquityPoint[]): number | null {
  const closes = new Map<number, number>();
  for (const [timeMs, equity] of curve) closes.set(tradingDayOf(timeMs), equity);
  const [first] = curve;
  const days = [...closes.values()];
  const changes = days.map(
    (equity, index) => equity / (index === 0 ? (first?.[1] ?? equity) : (days[index - 1] ?? 0)) - 1,
  );
  if (changes.length < fewestDays) return null;
  const mean = changes.reduce((sum, change) => sum + change, 0) / changes.length;
  const variance = changes.reduce((sum, change) => sum + (change - mean) ** 2, 0) / (changes.length - 1);
  if (!(variance > 0)) return null;
  return Number(((mean / Math.sqrt(variance)) * Math.sqrt(tradingDaysAYear)).toFixed(4));
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
