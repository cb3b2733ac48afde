const MINUTE_MS = 60_000;

/** Ascending times, in UTC milliseconds. A search begins where the last one ended, because a replay reads forwards. */
export class TimeColumn {
  private at = 0;

  constructor(private readonly times: Float64Array) {}

  /** Index of the first time that is not before `time`; the length when there is none. */
  firstAtOrAfter(time: number): number {
    const { at } = this;
    if (this.isFirst(at, time)) return at;
    if (this.isFirst(at + 1, time)) return (this.at = at + 1);
    return (this.at = this.searched(time));
  }

  /** The minute of the first time in this minute or after it, counted from the epoch; null when there is none. */
  nextMinute(minute: number): number | null {
    return minuteOf(this.times[this.firstAtOrAfter(minute * MINUTE_MS)]);
  }

  /** The minute of the last time in this minute or before it, counted from the epoch; null when there is none. */
  previousMinute(minute: number): number | null {
    return minuteOf(this.times[this.searched((minute + 1) * MINUTE_MS) - 1]);
  }

  private isFirst(at: number, time: number): boolean {
    const { times } = this;
    const { length } = times;
    if (at > length) return false;
    return (at === length || (times[at] ?? 0) >= time) && (at === 0 || (times[at - 1] ?? 0) < time);
  }

  private searched(time: number): number {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.times[middle] ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function minuteOf(time: number | undefined): number | null {
  return time === undefined ? null : Math.floor(time / MINUTE_MS);
}
