import { ServerClock } from './server-clock';

// Bound once: looking globals up is slow in the sandbox that tests run in.
const { floor } = Math;

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** One stretch of a trading week, in minutes after midnight of a weekday (0 = Sunday) of its zone; `to` may be 1440. */
export interface Session {
  readonly day: number;
  readonly from: number;
  readonly to: number;
}

/** When a symbol trades: weekly sessions of a zone, less its holidays. */
export interface Schedule {
  /** IANA zone of the sessions; absent means the broker server's own. */
  readonly zone?: string;
  readonly sessions: readonly Session[];
  /** Dates of the zone, as `MM-DD` (every year) or `YYYY-MM-DD`. */
  readonly holidays: readonly string[];
}

const weekdays = (from: number, to: number): Session[] => [1, 2, 3, 4, 5].map((day) => ({ day, from, to }));

/** The spot week: from Sunday 17:00 to Friday 17:00 in New York, closed at Christmas and New Year. */
export const fxSchedule: Schedule = {
  zone: 'America/New_York',
  sessions: [
    { day: 0, from: 1_020, to: 1_440 },
    ...weekdays(0, 1_440).filter(({ day }) => day !== 5),
    { day: 5, from: 0, to: 1_020 },
  ],
  holidays: ['12-25', '01-01'],
};

/** Metals and indices: as the spot week, with the daily hour's break at 17:00. */
export const indexSchedule: Schedule = {
  zone: 'America/New_York',
  sessions: [
    { day: 0, from: 1_080, to: 1_440 },
    ...weekdays(0, 1_020),
    ...weekdays(1_080, 1_440).filter(({ day }) => day !== 5),
  ],
  holidays: ['12-25', '01-01'],
};

/** Crypto: always. */
export const continuousSchedule: Schedule = {
  sessions: [0, 1, 2, 3, 4, 5, 6].map((day) => ({ day, from: 0, to: DAY_MINUTES })),
  holidays: [],
};

/** Answers whether a schedule is open at an instant. */
export class TradingHours {
  private readonly clock: ServerClock;
  private readonly open = new Uint8Array(7 * DAY_MINUTES);
  private readonly holidays: ReadonlySet<string>;
  private lookedAtDay = Number.NaN;
  private lookedAtIsHoliday = false;
  private readonly always: boolean;

  constructor(schedule: Schedule, serverClock: ServerClock) {
    this.clock = schedule.zone === undefined ? serverClock : new ServerClock(schedule.zone);
    for (const { day, from, to } of schedule.sessions) {
      this.open.fill(1, day * DAY_MINUTES + from, day * DAY_MINUTES + to);
    }
    this.holidays = new Set(schedule.holidays);
    this.always = this.holidays.size === 0 && this.open.every((flag) => flag === 1);
  }

  isOpen(utcMs: number): boolean {
    if (this.always) return true;
    const localMinute = floor(this.clock.serverMs(utcMs) / MINUTE_MS);
    // 1 January 1970 was a Thursday, day 4 of a week that starts on Sunday.
    const weekMinute = (localMinute + 4 * DAY_MINUTES) % (7 * DAY_MINUTES);
    return this.open[weekMinute] === 1 && !this.isHoliday(localMinute);
  }

  private isHoliday(localMinute: number): boolean {
    if (this.holidays.size === 0) return false;
    const day = floor(localMinute / DAY_MINUTES);
    if (day !== this.lookedAtDay) {
      const date = new Date(day * DAY_MINUTES * MINUTE_MS).toISOString().slice(0, 10);
      this.lookedAtDay = day;
      this.lookedAtIsHoliday = this.holidays.has(date) || this.holidays.has(date.slice(5));
    }
    return this.lookedAtIsHoliday;
  }
}
