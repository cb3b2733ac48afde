import { columnsOf, type Curve } from './curve';

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
export function drawdowns(curve: Curve): Drawdown {
  const { times, values } = columnsOf(curve);
  let [peak, peakMs] = [Number.NEGATIVE_INFINITY, 0];
  let [maxDrawdown, maxDrawdownPct, longestMs] = [0, 0, 0];
  for (let at = 0; at < times.length; at++) {
    const [timeMs, equity] = [times[at] ?? 0, values[at] ?? 0];
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
