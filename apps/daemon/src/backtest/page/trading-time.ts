/** A gap is longer than this many times the usual distance of points, and than {@link leastGap}. */
const gapFactor = 1.5;
const leastGap = 4 * 3_600;
const day = 86_400;

/** Steps of a time axis, each with the first time of its kind at or after a time. Seconds since 1970, UTC. */
const steps: readonly (readonly [seconds: number, next: (time: number) => number])[] = [
  ...[300, 900, 1_800, 3_600, 2 * 3_600, 4 * 3_600, 12 * 3_600, day, 2 * day].map(multiplesOf),
  // 1970 began on a Thursday.
  [7 * day, (time) => Math.ceil((time - 4 * day) / (7 * day)) * 7 * day + 4 * day],
  ...[1, 3, 6, 12, 24, 60, 120].map(monthsOf),
];

/** A weekend of markets at its widest: Friday 20:00 to Monday 01:00 UTC. 1970 began on a Thursday. */
const week = 7 * day;
const [fridayEvening, weekend] = [day + 20 * 3_600, 53 * 3_600];

interface Gap {
  readonly from: number;
  readonly length: number;
}

/**
 * A time axis without the weekends in which there are no points. Other times without points stay: an account without a
 * position has none either. Times and places are seconds; without weekends, they are the same.
 */
export class TradingTime {
  private constructor(private readonly gaps: readonly Gap[]) {}

  /** @param times of points, ascending; @param startSeconds the time 0, since 1970 */
  static of(times: readonly number[], startSeconds: number): TradingTime {
    const distances = times.slice(1).map((time, index) => time - (times[index] ?? time));
    const usual = [...distances].sort((a, b) => a - b)[distances.length >> 1] ?? 0;
    const limit = Math.max(gapFactor * usual, usual + leastGap);
    const gaps = distances.flatMap((distance, index) => {
      const from = (times[index] ?? 0) + usual;
      return distance > limit ? weekendsOf(from, from + distance - usual, startSeconds) : [];
    });
    return new TradingTime(gaps);
  }

  /** Place of a time. All times of a gap are at its one place. */
  placeOf(time: number): number {
    let cut = 0;
    for (const { from, length } of this.gaps) {
      if (time <= from) break;
      cut += Math.min(length, time - from);
    }
    return time - cut;
  }

  /** The time at a place: at that of a gap, its end. */
  timeAt(place: number): number {
    let time = place;
    for (const { from, length } of this.gaps) {
      if (time < from) break;
      time += length;
    }
    return time;
  }

  /** Round times of a part of the axis with their labels, at most so many. @param startSeconds the time 0, since 1970 */
  ticks(
    from: number,
    to: number,
    most: number,
    startSeconds: number,
  ): readonly (readonly [place: number, text: string])[] {
    const apart = (to - from) / Math.max(1, most);
    for (const [seconds, next] of steps) {
      if (seconds < apart / 4) continue;
      const ticks: (readonly [number, string])[] = [];
      let isDense = false;
      const end = startSeconds + this.timeAt(to);
      for (let at = next(startSeconds + this.timeAt(from)); at <= end && !isDense; at = next(at + 1)) {
        const place = this.placeOf(at - startSeconds);
        const distance = place - (ticks.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY);
        // The days of a weekend have one place, which is that of the day on which trading goes on.
        if (distance < seconds / 4) ticks.pop();
        else if (distance < apart * 0.6) isDense = true;
        ticks.push([place, labelOf(at, seconds)]);
        isDense ||= ticks.length > most;
      }
      if (!isDense) return ticks;
    }
    return [];
  }
}

/** The parts of a gap that are weekends. */
function weekendsOf(from: number, to: number, startSeconds: number): readonly Gap[] {
  const first = Math.floor((from + startSeconds - fridayEvening) / week) * week + fridayEvening - startSeconds;
  return Array.from({ length: Math.ceil((to - first) / week) }, (_, index) => {
    const begin = Math.max(from, first + index * week);
    return { from: begin, length: Math.min(to, first + index * week + weekend) - begin };
  }).filter(({ length }) => length > 0);
}

function multiplesOf(seconds: number): readonly [number, (time: number) => number] {
  return [seconds, (time) => Math.ceil(time / seconds) * seconds];
}

function monthsOf(count: number): readonly [number, (time: number) => number] {
  return [
    count * 30 * day,
    (time) => {
      const at = new Date(time * 1_000);
      const month = at.getUTCFullYear() * 12 + at.getUTCMonth();
      const first = Math.ceil(month / count) * count;
      const start = monthStart(first);
      return start >= time ? start : monthStart(first + count);
    },
  ];
}

/** @param month counted from the year 0 */
function monthStart(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12) / 1_000;
}

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A year, a month, a day or a time of day: the coarsest that begins there. */
function labelOf(seconds: number, step: number): string {
  const at = new Date(seconds * 1_000);
  const month = monthNames[at.getUTCMonth()] ?? '';
  if (step >= 28 * day) return at.getUTCMonth() === 0 ? String(at.getUTCFullYear()) : `${month} ${at.getUTCFullYear()}`;
  if (seconds % day === 0) return `${at.getUTCDate()} ${month}`;
  return at.toISOString().slice(11, 16);
}
