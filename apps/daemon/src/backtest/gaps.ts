import { timeframeMs } from '../core/event-time';

/** What the recorded prices lack. */
export interface Gaps {
  /** Bars that are not there although the week was open; null for bars longer than an hour, which hide them. */
  readonly missingBars: number | null;
  readonly longestGapMinutes: number | null;
  /** Open of the last bar before the longest gap; null without one. */
  readonly longestGapAfterMs: number | null;
}

/** A time without prices, neither a weekend nor the daily break of the market. */
export interface Gap {
  /** Time of the last row before it, in UTC milliseconds. */
  readonly afterMs: number;
  readonly lengthMs: number;
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const saturday = 6;
/** Markets close each day for at least this long, at the same time within {@link nearMs}. */
const leastBreakMs = 10 * minuteMs;
const longestBreakMs = 12 * hourMs;
const nearMs = 30 * minuteMs;
/** Of the days a week before and after, so many have the break. */
const leastAlike = 3;
const weekMs = 7 * dayMs;

/** Bars that are missing between others; weekends and the daily break of the market left out. @param timesMs opens of bars, ascending */
export function gapsOf(timesMs: ArrayLike<number>, timeframe: string): Gaps {
  const lengthMs = timeframeMs(timeframe);
  if (lengthMs === null || lengthMs > hourMs) {
    return { missingBars: null, longestGapMinutes: null, longestGapAfterMs: null };
  }
  let missingBars = 0;
  let [longestMs, longestAfterMs] = [0, 0];
  for (const { afterMs, lengthMs: gapMs } of openGaps(timesMs, lengthMs)) {
    missingBars += Math.round(gapMs / lengthMs);
    if (gapMs > longestMs) [longestMs, longestAfterMs] = [gapMs, afterMs];
  }
  return {
    missingBars,
    longestGapMinutes: longestMs / minuteMs,
    longestGapAfterMs: longestMs === 0 ? null : longestAfterMs,
  };
}

/**
 * The gaps between rows while the market was open.
 * @param timesMs ascending
 * @param rowMs length of a row: 0 for ticks
 */
export function openGaps(timesMs: ArrayLike<number>, rowMs: number, leastMs = 0): readonly Gap[] {
  const gaps: Gap[] = [];
  for (let index = 1; index < timesMs.length; index++) {
    const [afterMs, timeMs] = [timesMs[index - 1] ?? 0, timesMs[index] ?? 0];
    const lengthMs = timeMs - afterMs - rowMs;
    if (lengthMs > leastMs && !spansWeekend(afterMs, timeMs)) gaps.push({ afterMs, lengthMs });
  }
  const long = gaps.filter(({ lengthMs }) => lengthMs >= leastBreakMs && lengthMs <= longestBreakMs);
  const breaks = new Set(long.filter((_, index) => isDaily(long, index)));
  return gaps.filter((gap) => !breaks.has(gap));
}

/** Whether there are gaps like one at the same time of other days. */
function isDaily(gaps: readonly Gap[], index: number): boolean {
  const gap = gaps[index];
  if (gap === undefined) return false;
  const isAlike = ({ afterMs, lengthMs }: Gap): boolean => {
    const apartMs = Math.abs(afterMs - gap.afterMs) % dayMs;
    return Math.min(apartMs, dayMs - apartMs) <= nearMs && Math.abs(lengthMs - gap.lengthMs) <= nearMs;
  };
  let alike = 0;
  for (const step of [-1, 1]) {
    for (let at = index + step; alike < leastAlike; at += step) {
      const other = gaps[at];
      if (other === undefined || Math.abs(other.afterMs - gap.afterMs) > weekMs) break;
      if (isAlike(other)) alike += 1;
    }
  }
  return alike >= leastAlike;
}

/** Whether a Saturday noon lies between. */
function spansWeekend(fromMs: number, toMs: number): boolean {
  const noon = Math.floor(fromMs / dayMs) * dayMs + dayMs / 2;
  for (let timeMs = noon; timeMs < toMs; timeMs += dayMs) {
    if (timeMs > fromMs && new Date(timeMs).getUTCDay() === saturday) return true;
  }
  return false;
}
