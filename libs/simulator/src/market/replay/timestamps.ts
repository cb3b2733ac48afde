const digit = (text: string, at: number): number => text.charCodeAt(at) - 48;
const two = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);
const four = (text: string, at: number): number => two(text, at) * 100 + two(text, at + 2);

/** New York without daylight saving, as the compact tick files are stamped. */
const EST_MS = 5 * 3_600_000;

const iso = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d):?(\d\d))?$/;

/** `YYYY-MM-DD hh:mm[:ss[.ffffff]][+hh:mm|Z]`, blank or T between; without an offset it is UTC. NaN when it is none. */
export function isoMs(text: string): number {
  const parts = iso.exec(text);
  if (!parts) return Number.NaN;
  const [, year, month, day, hour, minute, second = 0, fraction = '', sign = '+', hours = 0, minutes = 0] = parts;
  const midnight = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  // A day or a month that does not exist moves the date on.
  const isDate = midnight.getUTCDate() === Number(day) && midnight.getUTCMonth() === Number(month) - 1;
  if (!isDate || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return Number.NaN;
  const seconds = Number(hour) * 3_600 + Number(minute) * 60 + Number(second);
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  const fractionMs = Number(fraction.padEnd(3, '0').slice(0, 3));
  return midnight.getTime() + seconds * 1_000 + fractionMs - (sign === '-' ? -offsetMs : offsetMs);
}

/** `YYYYMMDD hhmmssmmm` on a clock five hours behind UTC all year. NaN when it is none. */
export function compactEstMs(text: string): number {
  if (!/^\d{8} \d{9}$/.test(text)) return Number.NaN;
  const date = Date.UTC(four(text, 0), two(text, 4) - 1, two(text, 6), two(text, 9), two(text, 11), two(text, 13));
  return date + digit(text, 15) * 100 + two(text, 16) + EST_MS;
}
