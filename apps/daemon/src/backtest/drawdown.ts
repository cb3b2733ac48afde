import type { EquityPoint } from './equity-curve';

export interface Drawdown {
  /** Furthest fall below the highest equity before it, in the account's currency. */
  readonly maxDrawdown: number;
  /** Furthest fall in percent of the highest equity before it. */
  readonly maxDrawdownPct: number;
  /** Longest time below a former high, in days. */
  readonly longestDrawdownDays: number;
}

const dayMs = 86_400_000;

/** How far and how long an equity curve fell below its highs. */
export function drawdowns(curve: readonly EquityPoint[]): Drawdown {
  let [peak, peakMs] = [Number.NEGATIVE_INFINITY, 0];
  let [maxDrawdown, maxDrawdownPct, longestMs] = [0, 0, 0];
  for (const [timeMs, equity] of curve) {
    if (equity >= peak) [peak, peakMs] = [equity, timeMs];
    maxDrawdown = Math.max(maxDrawdown, peak - equity);
    maxDrawdownPct = Math.max(maxDrawdownPct, peak > 0 ? ((peak - equity) / peak) * 100 : 0);
    longestMs = Math.max(longestMs, timeMs - peakMs);
  }
  return {
    maxDrawdown: rounded(maxDrawdown, 2),
    maxDrawdownPct: rounded(maxDrawdownPct, 4),
    longestDrawdownDays: rounded(longestMs / dayMs, 2),
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
