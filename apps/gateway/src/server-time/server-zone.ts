/** Longer than any change of a server's clock, in milliseconds. */
export const longestClockChangeMs = 3 * 3_600_000;

/** Converts between the broker server's wall clock and UTC; instants in milliseconds, offsets in seconds. */
export interface ServerZone {
  offsetSecondsAt(utcMs: number): number;
  /** Exact: an instant has one wall-clock time. */
  toServerMs(utcMs: number): number;
  /** For a repeated time, the first occurrence counts; see {@link IanaZone}. */
  toUtcMs(serverMs: number): number;
  /** The earliest server time that anything after this server time can have: in a repeated hour, the start of that hour. */
  earliestAfter(serverMs: number): number;
  /** The latest server time that anything before this server time can have: in a repeated hour, the end of that hour. */
  latestBefore(serverMs: number): number;
}

/** A server clock with a fixed offset from UTC. */
export class FixedZone implements ServerZone {
  constructor(private readonly offsetSeconds: number) {}

  offsetSecondsAt(): number {
    return this.offsetSeconds;
  }

  toServerMs(utcMs: number): number {
    return utcMs + this.offsetSeconds * 1_000;
  }

  toUtcMs(serverMs: number): number {
    return serverMs - this.offsetSeconds * 1_000;
  }

  earliestAfter(serverMs: number): number {
    return serverMs;
  }

  latestBefore(serverMs: number): number {
    return serverMs;
  }
}

/** A week of a zone: one offset, or one before `changeMs` and another from then on. */
interface Week {
  readonly changeMs: number;
  readonly beforeMs: number;
  readonly afterMs: number;
}

const weekMs = 7 * 86_400_000;
const dayMs = 86_400_000;

/**
 * A zone of the platform's IANA database, plus a fixed shift. The offset is that of each instant, so that history
 * before a change of daylight time stays correct. In a repeated hour the first occurrence counts; a time in a skipped
 * hour uses the offset before the change (like Python's zoneinfo with fold 0).
 */
export class IanaZone implements ServerZone {
  /** By number of the week since the epoch; a request for 10,000 bars needs few of them. */
  private readonly weeks = new Map<number, Week>();
  private readonly wallClock: Intl.DateTimeFormat;

  /** @throws RangeError for a name that is unknown to the platform */
  constructor(
    name: string,
    private readonly shiftMs = 0,
  ) {
    this.wallClock = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  offsetSecondsAt(utcMs: number): number {
    return this.offsetMsAt(utcMs) / 1_000;
  }

  toServerMs(utcMs: number): number {
    return utcMs + this.offsetMsAt(utcMs);
  }

  toUtcMs(serverMs: number): number {
    // No offset exceeds a day, so a relevant change is between these two.
    const before = this.offsetMsAt(serverMs - dayMs);
    const after = this.offsetMsAt(serverMs + dayMs);
    if (before === after || this.offsetMsAt(serverMs - before) === before) return serverMs - before;
    return this.offsetMsAt(serverMs - after) === after ? serverMs - after : serverMs - before;
  }

  earliestAfter(serverMs: number): number {
    return this.repeatedAround(serverMs)?.fromMs ?? serverMs;
  }

  latestBefore(serverMs: number): number {
    return this.repeatedAround(serverMs)?.toMs ?? serverMs;
  }

  /** The repeated hour that a server time is in, in server time. */
  private repeatedAround(serverMs: number): { readonly fromMs: number; readonly toMs: number } | null {
    const before = this.offsetMsAt(serverMs - dayMs);
    const after = this.offsetMsAt(serverMs + dayMs);
    if (after >= before) return null;
    const [first, second] = [serverMs - before, serverMs - after];
    const { changeMs } = this.weekOf(first).changeMs > first ? this.weekOf(first) : this.weekOf(second);
    return first < changeMs && changeMs <= second ? { fromMs: changeMs + after, toMs: changeMs + before } : null;
  }

  private offsetMsAt(utcMs: number): number {
    const week = this.weekOf(utcMs);
    return utcMs < week.changeMs ? week.beforeMs : week.afterMs;
  }

  private weekOf(utcMs: number): Week {
    const index = Math.floor(utcMs / weekMs);
    let week = this.weeks.get(index);
    if (week === undefined) {
      week = this.readWeek(index);
      this.weeks.set(index, week);
    }
    return week;
  }

  /** Zones change at most once in a week; binary search finds the second of the change. */
  private readWeek(index: number): Week {
    const startMs = index * weekMs;
    const beforeMs = this.weeks.get(index - 1)?.afterMs ?? this.readOffsetMs(startMs);
    const afterMs = this.weeks.get(index + 1)?.beforeMs ?? this.readOffsetMs(startMs + weekMs);
    let low = startMs;
    let high = startMs + weekMs;
    while (beforeMs !== afterMs && high - low > 1_000) {
      const middle = low + Math.floor((high - low) / 2_000) * 1_000;
      if (this.readOffsetMs(middle) === beforeMs) low = middle;
      else high = middle;
    }
    return { changeMs: high, beforeMs, afterMs };
  }

  private readOffsetMs(utcMs: number): number {
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of this.wallClock.formatToParts(utcMs)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - utcMs + this.shiftMs;
  }
}
