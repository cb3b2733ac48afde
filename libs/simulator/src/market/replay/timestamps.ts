const digit = (text: string, at: number): number => text.charCodeAt(at) - 48;
const two = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);
const four = (text: string, at: number): number => two(text, at) * 100 + two(text, at + 2);

/** New York without daylight saving, as the compact tick files are stamped. */
const EST_MS = 5 * 3_600_000;

/** `YYYY-MM-DD hh:mm:ss[.ffffff][+hh:mm|Z]`, blank or T between; without an offset it is UTC. NaN when it is none. */
export function isoMs(text: string): number {
  const base = Date.UTC(four(text, 0), two(text, 5) - 1, two(text, 8), two(text, 11), two(text, 14), two(text, 17));
  const rest = /^(?:\.(\d+))?(?:Z|([+-])(\d\d):?(\d\d))?$/.exec(text.slice(19));
  if (text.charAt(4) !== '-' || !rest) return Number.NaN;
  const [, fraction = '', sign = '+', hours = '0', minutes = '0'] = rest;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return base + Number(fraction.padEnd(3, '0').slice(0, 3)) - (sign === '-' ? -offset : offset);
}

/** `YYYYMMDD hhmmssmmm` on a clock five hours behind UTC all year. NaN when it is none. */
export function compactEstMs(text: string): number {
  if (!/^\d{8} \d{9}$/.test(text)) return Number.NaN;
  const date = Date.UTC(four(text, 0), two(text, 4) - 1, two(text, 6), two(text, 9), two(text, 11), two(text, 13));
  return date + digit(text, 15) * 100 + two(text, 16) + EST_MS;
}
