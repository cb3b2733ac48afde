import { parseZoneName } from '@libs/clock';

// Bound once: looking globals up is slow in the sandbox that tests run in.
const { abs, ceil, floor } = Math;
const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
/** Clocks are set back by less. */
const FURTHEST_BACK_MS = 3 * 3_600_000;
/** Beyond this no calendar reaches; a time out there has no offset. */
const FURTHEST_MS = 8e15;
const KEPT_DAYS = 20_000;

/**
 * The broker server's wall clock: UTC shifted by a zone's offset, daylight saving included. All records of the terminal
 * are stamped with it.
 */
export class ServerClock {
  private shiftMs = 0;
  private shiftSinceMs = Number.POSITIVE_INFINITY;
  private readonly offsets: ZoneOffsets;

  /** @param zone an IANA zone name, perhaps with a shift as in America/New_York+7; an unknown one throws a RangeError */
  constructor(readonly zone: string) {
    this.offsets = offsetsOf(zone);
  }

  /** Server milliseconds of an instant. */
  serverMs(utcMs: number): number {
    return utcMs + this.offsetMs(utcMs);
  }

  /** The instant of a server time; in a repeated hour the earlier one. */
  utcMs(serverMs: number): number {
    const guess = serverMs - this.offsetMs(serverMs);
    const before = serverMs - this.offsetMs(guess - FURTHEST_BACK_MS);
    if (this.serverMs(before) === serverMs) return before;
    return serverMs - this.offsetMs(guess);
  }

  /** The first instant at which the server's clock shows this time, or a later one where it leaves this one out. */
  firstUtcMs(serverMs: number): number {
    const utcMs = this.utcMs(serverMs);
    const leftOutMs = this.serverMs(utcMs) - serverMs;
    if (!(leftOutMs > 0)) return utcMs;
    // Clocks are set forward at a quarter of an hour.
    let at = ceil((utcMs - leftOutMs) / QUARTER_MS) * QUARTER_MS;
    while (this.serverMs(at) < serverMs) at += QUARTER_MS;
    return at;
  }

  /** How far the server's clock is ahead of UTC at an instant, in milliseconds. */
  offsetMs(utcMs: number): number {
    return this.offsets.at(utcMs) + (utcMs >= this.shiftSinceMs ? this.shiftMs : 0);
  }

  /** Whether the server's clock showed the time of this instant before, as in the second pass of a repeated hour. */
  hasShown(utcMs: number): boolean {
    return this.utcMs(this.serverMs(utcMs)) < utcMs;
  }

  /** Whether {@link hasShown} may be true on a day of UTC, counted from the epoch; false on nearly all. */
  repeatsTimeOn(day: number): boolean {
    return this.offsetMs(day * DAY_MS - FURTHEST_BACK_MS) > this.offsetMs((day + 1) * DAY_MS - 1);
  }

  /** The server midnight that follows an instant. */
  nextMidnightUtcMs(utcMs: number): number {
    const nextServerDay = (floor(this.serverMs(utcMs) / DAY_MS) + 1) * DAY_MS;
    const midnight = this.utcMs(nextServerDay);
    return midnight > utcMs ? midnight : midnight + DAY_MS;
  }

  /** Sets the server's clock off by `seconds` from an instant on: the fault of a server whose zone was changed. */
  shiftFrom(utcMs: number, seconds: number): void {
    this.shiftMs = seconds * 1_000;
    this.shiftSinceMs = seconds === 0 ? Number.POSITIVE_INFINITY : utcMs;
  }
}

/** What each zone was asked for so far: the clocks of one backtest after the other ask for the same days. */
const knownZones = new Map<string, ZoneOffsets>();

function offsetsOf(zone: string): ZoneOffsets {
  const known = knownZones.get(zone) ?? new ZoneOffsets(zone);
  knownZones.set(zone, known);
  return known;
}

/** How far the clocks of a zone are ahead of UTC. */
class ZoneOffsets {
  private readonly format: Intl.DateTimeFormat;
  private readonly days = new Map<number, number | null>();
  private lastDay = Number.NaN;
  private lastOffsetMs = 0;
  private readonly shiftMs: number;

  constructor(name: string) {
    const { zone: timeZone, shiftMs } = parseZoneName(name);
    this.shiftMs = shiftMs;
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** At an instant, in milliseconds. */
  at(utcMs: number): number {
    if (!(abs(utcMs) < FURTHEST_MS)) return 0;
    const day = floor(utcMs / DAY_MS);
    if (day === this.lastDay) return this.lastOffsetMs;
    let offset = this.days.get(day);
    if (offset === undefined) {
      const first = this.readOffset(day * DAY_MS);
      offset = first === this.readOffset((day + 1) * DAY_MS - 1) ? first : null;
      if (this.days.size >= KEPT_DAYS) this.days.clear();
      this.days.set(day, offset);
    }
    if (offset === null) return this.readOffset(floor(utcMs / QUARTER_MS) * QUARTER_MS);
    this.lastDay = day;
    this.lastOffsetMs = offset;
    return offset;
  }

  private readOffset(utcMs: number): number {
    const fields: Record<string, number> = {};
    for (const { type, value } of this.format.formatToParts(utcMs)) fields[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
    return Date.UTC(year, month - 1, day, hour, minute, second) - floor(utcMs / 1_000) * 1_000 + this.shiftMs;
  }
}
