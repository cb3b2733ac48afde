import { ServerClock } from '@libs/simulator';

/** A time of an imported file that is not an instant, in words for people. */
export class ImportTimeError extends Error {}

const minuteMs = 60_000;
const halfHourMs = 1_800_000;

/** `2024-01-09 12:00[:00[.000]]`, with `-`, `.` or `/` in the date and blank or T before the time, perhaps with an offset. */
const separated = /^(\d{4})([-./])(\d\d)\2(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.0+)?)?(Z|[+-]\d\d:?\d\d)?$/;
/** `20240109 120000` or `20240109 12:00:00`. */
const compact = /^(\d{4})(\d\d)(\d\d)[T ](\d\d):?(\d\d)(?::?(\d\d))?$/;

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

  /** The instant in UTC milliseconds, a full minute. @throws ImportTimeError */
  utcMs(text: string): number {
    const ms = epochMs(text) ?? this.statedMs(text);
    if (ms % minuteMs !== 0) throw new ImportTimeError(`${text} is not the start of a one-minute bar`);
    return ms;
  }

  private statedMs(text: string): number {
    const [, year, , month, day, hour, minute, second = '0', offset] = separated.exec(text) ?? expanded(text);
    const parts = [year, month, day, hour, minute, second].map(Number);
    const [y = 0, m = 0, d = 0, h = 0, min = 0, s = 0] = parts;
    const localMs = Date.UTC(y, m - 1, d, h, min, s);
    const shown = new Date(localMs);
    // `Date` accepts 31 February as a day in March, and 25:00 as an hour of the next day.
    const isReal = shown.getUTCMonth() === m - 1 && shown.getUTCDate() === d && h < 24 && min < 60 && s < 60;
    if (!isReal) throw new ImportTimeError(`${text} is not a time such as 2024-01-09 12:00`);
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

/** Ten digits are seconds of the Unix epoch, thirteen are milliseconds. */
function epochMs(text: string): number | null {
  if (/^\d{10}$/.test(text)) return Number(text) * 1_000;
  return /^\d{13}$/.test(text) ? Number(text) : null;
}

/** The parts of a compact time, in the places of a separated one. */
function expanded(text: string): readonly (string | undefined)[] {
  const [, year, month, day, hour, minute, second] = compact.exec(text) ?? [];
  if (year === undefined) throw new ImportTimeError(`${text} is not a time such as 2024-01-09 12:00`);
  return ['', year, '', month, day, hour, minute, second ?? '0'];
}

function offsetMs(offset: string): number {
  if (offset === 'Z') return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs;
}
