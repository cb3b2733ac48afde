import { isObject } from '@libs/terminal-client';
import { type Schedule, type Session } from '../time/trading-hours';

/**
 * A schedule as in a symbol file: `{zone?, sessions: [{day, from, to}], holidays?}`, minutes of the day.
 * @throws TypeError naming what cannot be used
 */
export function parseSchedule(value: unknown): Schedule {
  if (!isObject(value)) throw new TypeError('a schedule that is not an object');
  const { zone, sessions, holidays = [] } = value;
  if (!Array.isArray(sessions)) throw new TypeError('a schedule without a list of sessions');
  if (!Array.isArray(holidays) || !holidays.every((date) => typeof date === 'string' && isDate(date))) {
    throw new TypeError('holidays that are not dates (MM-DD or YYYY-MM-DD)');
  }
  const schedule = { sessions: sessions.map(parseSession), holidays };
  return zone === undefined ? schedule : { zone: parseZone(zone), ...schedule };
}

function parseSession(value: unknown): Session {
  if (isObject(value)) {
    const { day, from, to } = value;
    if (isWithin(day, 0, 6) && isWithin(from, 0, 1_439) && isWithin(to, from + 1, 1_440)) return { day, from, to };
  }
  throw new TypeError('a session that is not {day: 0-6, from, to} in minutes');
}

function parseZone(zone: unknown): string {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: String(zone) }).resolvedOptions().timeZone;
  } catch {
    throw new TypeError('a zone that is not an IANA time zone');
  }
}

function isDate(text: string): boolean {
  return /^(\d{4}-)?(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(text);
}

function isWithin(value: unknown, from: number, to: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to;
}
