import { timeframeMs } from '../core/timeframe';

/** What the recorded prices lack. */
export interface Gaps {
  /** Bars that are not there although the week was open; null for bars longer than an hour, which hide them. */
  readonly missingBars: number | null;
  readonly longestGapMinutes: number | null;
  /** Open of the last bar before the longest gap; null without one. */
  readonly longestGapAfterMs: number | null;
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const saturday = 6;

/** Bars that are missing between others, weekends left out. @param timesMs opens of bars, ascending */
export function gapsOf(timesMs: ArrayLike<number>, timeframe: string): Gaps {
  const lengthMs = timeframeMs(timeframe);
  if (lengthMs === null || lengthMs > hourMs) {
    return { missingBars: null, longestGapMinutes: null, longestGapAfterMs: null };
  }
  let missingBars = 0;
  let [longestMs, longestAfterMs] = [0, 0];
  for (let index = 1; index < timesMs.length; index++) {
    const [beforeMs, timeMs] = [timesMs[index - 1] ?? 0, timesMs[index] ?? 0];
    const gapMs = timeMs - beforeMs - lengthMs;
    if (gapMs <= 0 || spansWeekend(beforeMs, timeMs)) continue;
    missingBars += Math.round(gapMs / lengthMs);
    if (gapMs > longestMs) [longestMs, longestAfterMs] = [gapMs, beforeMs];
  }
  return {
    missingBars,
    longestGapMinutes: longestMs / minuteMs,
    longestGapAfterMs: longestMs === 0 ? null : longestAfterMs,
  };
}

/** Whether a Saturday noon lies between. */
function spansWeekend(fromMs: number, toMs: number): boolean {
  const noon = Math.floor(fromMs / dayMs) * dayMs + dayMs / 2;
  for (let timeMs = noon; timeMs < toMs; timeMs += dayMs) {
    if (timeMs > fromMs && new Date(timeMs).getUTCDay() === saturday) return true;
  }
  return false;
}
