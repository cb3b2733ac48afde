import { ServerClock } from '@libs/simulator';

/** A daily break that moves: its start in UTC before and after, and the first day of the week from which on it is another. */
export interface MovedBreak {
  readonly before: string;
  readonly after: string;
  readonly date: string;
}

interface WeekBreak {
  readonly weekMs: number;
  /** Minute of the day at which the break usually starts. */
  readonly minute: number;
}

const [minuteMs, dayMs] = [60_000, 86_400_000];
const weekMs = 7 * dayMs;
/** 1 January 1970 was a Thursday: weeks begin on Mondays. */
const mondayMs = 4 * dayMs;
const [shortestMs, longestMs] = [20 * minuteMs, 8 * 60 * minuteMs];
/** A break that moves by less is another beginning of the same. */
const leastMoveMinutes = 30;
const fewestDays = 3;
/** Longer bars hide the break. */
const longestBarMs = 60 * minuteMs;

/**
 * The daily break of bars if it moves by the clock of UTC and by that of New York, where most markets have it: the zone of the
 * file may then be wrong.
 * @param times opens of bars, ascending, in UTC milliseconds
 * @param barMs length of the bars
 */
export function movedBreak(times: readonly number[], barMs: number): MovedBreak | null {
  if (barMs > longestBarMs) return null;
  const starts = times.flatMap((timeMs, index) => {
    const gapMs = (times[index + 1] ?? timeMs) - timeMs - barMs;
    return gapMs >= shortestMs - minuteMs && gapMs < longestMs ? [timeMs + barMs] : [];
  });
  const newYork = new ServerClock('America/New_York');
  const moved = (clockMs: (utcMs: number) => number): readonly [WeekBreak, WeekBreak] | null => {
    const weeks = weekBreaks(starts, clockMs);
    const at = weeks.findIndex((week, index) => {
      return Math.abs(week.minute - (weeks[index - 1] ?? week).minute) >= leastMoveMinutes;
    });
    const [before, after] = [weeks[at - 1], weeks[at]];
    return before && after ? [before, after] : null;
  };
  if (moved((utcMs) => newYork.serverMs(utcMs)) === null) return null;
  const [before, after] = moved((utcMs) => utcMs) ?? [];
  if (!before || !after) return null;
  return {
    before: timeOfDay(before.minute),
    after: timeOfDay(after.minute),
    date: new Date(after.weekMs).toISOString().slice(0, 10),
  };
}

/** The usual start of the break in each week that has some. */
function weekBreaks(starts: readonly number[], clockMs: (utcMs: number) => number): readonly WeekBreak[] {
  const weeks = new Map<number, Map<number, number>>();
  for (const utcMs of starts) {
    const week = Math.floor((utcMs - mondayMs) / weekMs) * weekMs + mondayMs;
    const minute = Math.floor((clockMs(utcMs) % dayMs) / minuteMs);
    const counts = weeks.get(week) ?? new Map<number, number>();
    weeks.set(week, counts.set(minute, (counts.get(minute) ?? 0) + 1));
  }
  return [...weeks].flatMap(([week, counts]): WeekBreak[] => {
    const [most] = [...counts].sort(([, a], [, b]) => b - a);
    return most && most[1] >= fewestDays ? [{ weekMs: week, minute: most[0] }] : [];
  });
}

function timeOfDay(minute: number): string {
  return new Date(minute * minuteMs).toISOString().slice(11, 16);
}
