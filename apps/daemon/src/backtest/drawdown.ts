import { columnsOf, type Curve } from './curve';
import { withoutNoise } from './exact-sum';

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
  let peak = Number.NEGATIVE_INFINITY;
  let peakMs = 0;
  let [maxDrawdown, maxDrawdownPct, longestMs] = [0, 0, 0];
  for (let at = 0; at < times.length; at++) {
    const timeMs = times[at] ?? 0;
    const equity = values[at] ?? 0;
    if (equity >= peak) {
      peak = equity;
      peakMs = timeMs;
    } else {
      const fall = peak - equity;
      if (fall > maxDrawdown) maxDrawdown = fall;
      if (peak > 0) maxDrawdownPct = Math.max(maxDrawdownPct, (fall / peak) * 100);
      longestMs = Math.max(longestMs, timeMs - peakMs);
    }
  }
  return {
    maxDrawdown: withoutNoise(maxDrawdown),
    maxDrawdownPct: rounded(maxDrawdownPct, 4),
    longestDrawdownDays: rounded(longestMs / dayMs, 2),
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** A stretch of an equity below its highest value before. */
export interface DrawdownSpan {
  /** When the equity was last at its high, in UTC milliseconds. */
  readonly fromMs: number;
  /** When it was lowest. */
  readonly lowestMs: number;
  /** When it was back at the high; null when it was not. */
  readonly recoveredMs: number | null;
  /** Furthest fall below the high, in the account's currency. */
  readonly depth: number;
  /** The same in percent of the high. */
  readonly depthPct: number;
}

/**
 * The deepest drawdowns of an equity curve, the deepest in percent first.
 * @param most how many of them
 */
export function drawdownList(curve: Curve, most: number): readonly DrawdownSpan[] {
  const { times, values } = columnsOf(curve);
  const spans: DrawdownSpan[] = [];
  let [peak, peakMs, low, lowMs] = [Number.NEGATIVE_INFINITY, 0, 0, 0];
  const note = (recoveredMs: number | null): void => {
    if (low >= peak) return;
    const depthPct = peak > 0 ? Number((((peak - low) / peak) * 100).toFixed(4)) : 100;
    spans.push({ fromMs: peakMs, lowestMs: lowMs, recoveredMs, depth: withoutNoise(peak - low), depthPct });
  };
  for (let at = 0; at < times.length; at++) {
    const [timeMs, equity] = [times[at] ?? 0, values[at] ?? 0];
    if (equity >= peak) {
      note(timeMs);
      [peak, peakMs, low, lowMs] = [equity, timeMs, equity, timeMs];
    } else if (equity < low) [low, lowMs] = [equity, timeMs];
  }
  note(null);
  return spans.sort((a, b) => b.depthPct - a.depthPct || a.fromMs - b.fromMs).slice(0, most);
}
