import { ServerClock } from '@libs/simulator';

/** A time of an imported file that is not an instant, in words for people. */
export class ImportTimeError extends Error {}

const minuteMs = 60_000;
const halfHourMs = 1_800_000;

const datePart = '(?<year>\\d{4})(?<mark>[-./])(?<month>\\d\\d)\\k<mark>(?<day>\\d\\d)';
const timePart = '(?<hour>\\d\\d):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:\\.(?<fraction>\\d+))?)?';
const forms = [
  // `2024-01-09 12:00[:00[.000]]`, with `-`, `.` or `/` in the date and blank or T before the time, perhaps with an offset.
  new RegExp(`^${datePart}[T ]${timePart}(?<offset>Z|[+-]\\d\\d:?\\d\\d)?$`),
  // `20240109 120000` or `20240109 12:00:00`, with milliseconds as `20240109 120000123` or `20240109 12:00:00.123`.
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)[T ](?<hour>\d\d):?(?<minute>\d\d)(?::?(?<second>\d\d)(?:\.?(?<fraction>\d{3}))?)?$/,
  // `09.01.2024 12:00:00.000`: with dots, the day comes first.
  new RegExp(`^(?<day>\\d\\d)\\.(?<month>\\d\\d)\\.(?<year>\\d{4}) ${timePart}$`),
];

/** The times of an imported file, as instants. A time without an offset is on the clock of the named zone. */
export class ImportClock {
  private readonly clock: ServerClock | null;

  /**
   * @param zone an IANA zone name; null if every time has an offset
   * @throws RangeError for an unknown zone
   */
  constructor(private readonly zone: string | null) {
    this.clock = zone === null ? null : new ServerClock(zone);
  }

  /** The open of a one-minute bar in UTC milliseconds. @throws ImportTimeError */
  minuteMs(text: string): number {
    const ms = this.utcMs(text);
    if (ms % minuteMs !== 0) throw new ImportTimeError(`${text} is not the start of a one-minute bar`);
    return ms;
  }

  /** The instant in UTC milliseconds. @throws ImportTimeError */
  utcMs(text: string): number {
    return epochMs(text) ?? this.statedMs(text);
  }

  private statedMs(text: string): number {
    const parts = partsOf(text);
    const { year = '', month = '', day = '', hour = '', minute = '', second = '0', fraction = '', offset } = parts;
    const [y, m, d, h, min, s] = [
      Number(year),
      Number(month),
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
    ];
    const localMs = Date.UTC(y, m - 1, d, h, min, s, Number(fraction.slice(0, 3).padEnd(3, '0')));
    const shown = new Date(localMs);
    // `Date` accepts 31 February as a day in March, and 25:00 as an hour of the next day.
    const isReal = shown.getUTCMonth() === m - 1 && shown.getUTCDate() === d && h < 24 && min < 60 && s < 60;
    if (!isReal) throw notATime(text);
    return offset === undefined ? this.zonedMs(text, localMs) : localMs - offsetMs(offset);
  }

  private zonedMs(text: string, localMs: number): number {
    const { clock, zone } = this;
    if (!clock) throw new ImportTimeError(`${text} has no offset from UTC: name the zone of the file by --zone`);
    const utcMs = clock.utcMs(localMs);
    if (clock.serverMs(utcMs) !== localMs) throw new ImportTimeError(`${text} does not exist in ${zone}`);
    // Clocks are set back by half an hour or by an hour.
    if ([1, 2].some((halves) => clock.serverMs(utcMs + halves * halfHourMs) === localMs)) {
      throw new ImportTimeError(`${text} occurs twice in ${zone}: the clock was set back`);
    }
    return utcMs;
  }
}

/** Ten digits are seconds of the Unix epoch, thirteen are milliseconds, sixteen are microseconds. */
function epochMs(text: string): number | null {
  if (/^\d{10}$/.test(text)) return Number(text) * 1_000;
  if (/^\d{16}$/.test(text)) return Math.floor(Number(text) / 1_000);
  return /^\d{13}$/.test(text) ? Number(text) : null;
}

function partsOf(text: string): Readonly<Record<string, string | undefined>> {
  for (const form of forms) {
    const groups = form.exec(text)?.groups;
    if (groups) return groups;
  }
  throw notATime(text);
}

function notATime(text: string): ImportTimeError {
  return new ImportTimeError(`${text} is not a time such as 2024-01-09 12:00`);
}

function offsetMs(offset: string): number {
  if (offset === 'Z') return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs;
}
