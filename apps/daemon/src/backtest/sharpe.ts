import type { EquityPoint } from './backtest';

const tradingDaysAYear = 252;
const fewestDays = 5;
const dayMs = 86_400_000;

/**
 * The Sharpe ratio of an equity curve: mean over standard deviation of its daily changes in percent (UTC days that have
 * prices), without a risk-free rate, times √252. Null below five days, or when nothing changed.
 */
export function sharpeOf(curve: readonly EquityPoint[]): number | null {
  const closes = new Map<number, number>();
  for (const [timeMs, equity] of curve) closes.set(Math.floor(timeMs / dayMs), equity);
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
