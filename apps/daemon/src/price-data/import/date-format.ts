const parts: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<year>\\d\\d)',
  MMM: '(?<monthName>[A-Za-z]{3})',
  MM: '(?<month>\\d\\d)',
  M: '(?<month>\\d\\d?)',
  DD: '(?<day>\\d\\d)',
  D: '(?<day>\\d\\d?)',
  HH: '(?<hour>\\d\\d)',
  H: '(?<hour>\\d\\d?)',
  hh: '(?<hour>\\d\\d)',
  h: '(?<hour>\\d\\d?)',
  mm: '(?<minute>\\d\\d)',
  m: '(?<minute>\\d\\d?)',
  ss: '(?<second>\\d\\d)',
  s: '(?<second>\\d\\d?)',
  SSS: '(?<fraction>\\d+)',
  A: '(?<half>[AaPp][Mm])',
  Z: '(?<offset>Z|[+-]\\d\\d:?\\d\\d)',
};
const tokens = /YYYY|YY|MMM|MM|M|DD|D|HH|H|hh|h|mm|m|ss|s|SSS|A|Z/g;
const needed = [/YY/, /M/, /D/];
const ofDay = [/H|h/, /m/];

/** What is wrong with the text of a date format; null if nothing is. */
export function dateFormatProblem(format: string): string | null {
  const found = format.match(tokens) ?? [];
  const isTwice = new Set(found.map((token) => parts[token]?.slice(0, 8))).size < found.length;
  const has = (part: RegExp): boolean => found.some((token) => part.test(token));
  // Of a date alone, which bars of a day have, the format has no time either.
  const isWhole = needed.every(has) && (ofDay.every(has) || found.length === needed.length);
  if (!isTwice && isWhole) return halfDayProblem(found);
  return `--date-format needs YYYY or YY, MM and DD, and for times HH and mm, each once, such as "DD/MM/YYYY HH:mm", not "${format}"`;
}

/** An hour of 12 without its half of the day would make the afternoon a second morning. */
function halfDayProblem(tokensFound: readonly string[]): string | null {
  const hasHalf = tokensFound.includes('A');
  if (!hasHalf && tokensFound.some((token) => /^h/.test(token)))
    return '--date-format has h or hh, an hour of 12, without A for AM or PM: write H or HH, or add A';
  if (hasHalf && tokensFound.some((token) => /^H/.test(token)))
    return '--date-format has H or HH, an hour of 24, with A for AM or PM: write h or hh, or leave A out';
  return null;
}

/** A pattern whose groups are the parts of a time in the format, such as `DD/MM/YYYY HH:mm`. */
export function datePattern(format: string): RegExp {
  let [pattern, end] = ['', 0];
  for (const { 0: token, index } of format.matchAll(tokens)) {
    pattern += literal(format.slice(end, index)) + (parts[token] ?? '');
    end = index + token.length;
  }
  return new RegExp(`^${pattern}${literal(format.slice(end))}$`);
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
