import { ServerClock } from '@libs/simulator';
import { datePattern } from './date-format';

/** A time of an imported file that is not an instant, in words for people. */
export class ImportTimeError extends Error {}

/** What an hour is that the clock of a file shows twice: its first or second pass, none to take, or both in their order. */
export const repeatedHours = ['first', 'second', 'skip', 'by-order'] as const;
export type RepeatedHour = (typeof repeatedHours)[number];

/** How the times of a file are written. */
export interface TimeForm {
  /** Such as `DD/MM/YYYY HH:mm`; without it, the forms that cannot be mistaken are read. */
  readonly dateFormat?: string;
  /** Without it, a time in an hour that the zone repeats or leaves out is refused. */
  readonly repeatedHour?: RepeatedHour;
}

const minuteMs = 60_000;
const halfHourMs = 1_800_000;
/** Clocks are changed by less. */
const furthestChangeMs = 3 * 3_600_000;
/** Of the Line Islands. */
const furthestOffsetMs = 14 * 3_600_000;
/** No price file is older, and `Date.UTC` takes a year below 100 for one of the 20th century. */
const firstYear = 1970;

const datePart = '(?<year>\\d{4})(?<mark>[-./])(?<month>\\d\\d)\\k<mark>(?<day>\\d\\d)';
const timePart = '(?<hour>\\d\\d):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:\\.(?<fraction>\\d+))?)?';
const offsetPart = '(?: ?(?:GMT|UTC)?(?<offset>Z|[+-]\\d\\d:?\\d\\d))?';
const forms = [
  // `2024-01-09 12:00[:00[.000]]`, with `-`, `.` or `/` in the date and blank or T before the time, perhaps with an offset.
  new RegExp(`^${datePart}[T ]${timePart}${offsetPart}$`),
  // `20240109 120000` or `20240109 12:00:00`, with milliseconds as `20240109 120000123` or `20240109 12:00:00.123`.
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)[T ]?(?<hour>\d\d):?(?<minute>\d\d)(?::?(?<second>\d\d)(?:\.?(?<fraction>\d{3}))?)?$/,
  // `09.01.2024 12:00:00.000`: with dots, the day comes first.
  new RegExp(`^(?<day>\\d\\d)\\.(?<month>\\d\\d)\\.(?<year>\\d{4}) ${timePart}${offsetPart}$`),
];
/** Of bars of a day or longer. */
const dateAlone = /^(\d{4}[-./]\d\d[-./]\d\d|\d{8}|\d\d\.\d\d\.\d{4})$/;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The times of an imported file, as instants, in the order of its rows. A time without an offset is on the clock of the named zone. */
export class ImportClock {
  private readonly clock: ServerClock | null;
  private readonly forms: readonly RegExp[];
  /** The time before, if it was in an hour that the clock shows twice, and whether that was the second pass. */
  private repeated: { readonly localMs: number; readonly isSecond: boolean } | null = null;

  /**
   * @param zone an IANA zone name; null if every time has an offset
   * @throws RangeError for an unknown zone
   */
  constructor(
    private readonly zone: string | null,
    private readonly form: TimeForm = {},
  ) {
    this.clock = zone === null ? null : new ServerClock(zone);
    this.forms = form.dateFormat === undefined ? forms : [datePattern(form.dateFormat)];
  }

  /** The open of a bar in UTC milliseconds, of a date alone its midnight; null if it is in an hour to skip. @throws ImportTimeError */
  openMs(text: string): number | null {
    const ms = this.utcMs(dateAlone.test(text) && this.form.dateFormat === undefined ? `${text} 00:00` : text);
    if (ms !== null && ms % minuteMs !== 0)
      throw new ImportTimeError(`${text} is not a full minute, at which bars open`);
    return ms;
  }

  /** The instant in UTC milliseconds; null if it is in an hour to skip. @throws ImportTimeError */
  utcMs(text: string): number | null {
    return (this.form.dateFormat === undefined ? epochMs(text) : null) ?? this.statedMs(text);
  }

  private statedMs(text: string): number | null {
    const parts = this.partsOf(text);
    const { year = '', day = '', minute = '0', second = '0', fraction = '', offset } = parts;
    const y = year.length === 2 ? (year < '70' ? 2_000 : 1_900) + Number(year) : Number(year);
    const m = parts.monthName ? months.indexOf(parts.monthName.toLowerCase()) + 1 : Number(parts.month);
    const [d, h, min, s] = [Number(day), hourOf(parts), Number(minute), Number(second)];
    const localMs = Date.UTC(y, m - 1, d, h, min, s, Number(fraction.slice(0, 3).padEnd(3, '0')));
    const shown = new Date(localMs);
    // `Date` accepts 31 February as a day in March, and 25:00 as an hour of the next day.
    const isReal =
      y >= firstYear && shown.getUTCMonth() === m - 1 && shown.getUTCDate() === d && h < 24 && min < 60 && s < 60;
    const fromUtcMs = offset === undefined ? null : offsetMs(offset);
    if (!isReal || Number.isNaN(fromUtcMs)) throw this.notATime(text);
    return fromUtcMs === null ? this.zonedMs(text, localMs) : localMs - fromUtcMs;
  }

  private zonedMs(text: string, localMs: number): number | null {
    const { clock, zone } = this;
    if (!clock) throw new ImportTimeError(`${text} has no offset from UTC: name the zone of the file by --zone`);
    const utcMs = clock.utcMs(localMs);
    if (clock.serverMs(utcMs) !== localMs) {
      const [before, after] = [-furthestChangeMs, furthestChangeMs].map((ms) => clock.offsetMs(utcMs + ms));
      const problem = `does not exist in ${zone}: the clock was set forward`;
      return this.chosen(text, problem, localMs - (before ?? 0), localMs - (after ?? 0), false);
    }
    // Clocks are set back by half an hour or by an hour.
    const halves = [1, 2].find((count) => clock.serverMs(utcMs + count * halfHourMs) === localMs);
    if (halves === undefined) {
      this.repeated = null;
      return utcMs;
    }
    const { repeated } = this;
    const isSecond = repeated !== null && (repeated.isSecond || localMs < repeated.localMs);
    this.repeated = { localMs, isSecond };
    const problem = `occurs twice in ${zone}: the clock was set back`;
    return this.chosen(text, problem, utcMs, utcMs + halves * halfHourMs, isSecond);
  }

  private chosen(text: string, problem: string, firstMs: number, secondMs: number, isSecond: boolean): number | null {
    const { repeatedHour } = this.form;
    if (repeatedHour === undefined) throw new ImportTimeError(`${text} ${problem}: see --repeated-hour`);
    if (repeatedHour === 'skip') return null;
    return repeatedHour === 'second' || (repeatedHour === 'by-order' && isSecond) ? secondMs : firstMs;
  }

  private partsOf(text: string): Readonly<Record<string, string | undefined>> {
    for (const form of this.forms) {
      const groups = form.exec(text)?.groups;
      if (groups) return groups;
    }
    throw this.notATime(text);
  }

  private notATime(text: string): ImportTimeError {
    const { dateFormat } = this.form;
    const wanted =
      dateFormat === undefined
        ? 'such as 2024-01-09 12:00: state the form by --date-format, such as DD/MM/YYYY HH:mm'
        : `of the form ${dateFormat}`;
    return new ImportTimeError(`${text} is not a time ${wanted}`);
  }
}

/** Ten digits are seconds of the Unix epoch, thirteen are milliseconds, sixteen are microseconds, nineteen are nanoseconds. */
function epochMs(text: string): number | null {
  if (/^\d{10}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1_000);
  if (/^\d{16}$/.test(text)) return Math.floor(Number(text) / 1_000);
  if (/^\d{19}$/.test(text)) return Number(text.slice(0, -6));
  return /^\d{13}$/.test(text) ? Number(text) : null;
}

/** The hour of the day; of a time with AM or PM, 12 is the first. */
function hourOf({ hour, half }: Readonly<Record<string, string | undefined>>): number {
  if (half === undefined) return Number(hour ?? 0);
  const isReal = Number(hour) >= 1 && Number(hour) <= 12;
  return isReal ? (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0) : Number.NaN;
}

/** NaN for an offset that no clock has. */
function offsetMs(offset: string): number {
  if (offset === 'Z') return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? [];
  const ms = (Number(hours) * 60 + Number(minutes)) * minuteMs;
  return Number(minutes) < 60 && ms <= furthestOffsetMs ? (sign === '-' ? -ms : ms) : Number.NaN;
}
