/** Where the columns of a file are, by their names; -1 for one that is not there. */
export interface ImportColumns {
  readonly delimiter: string;
  readonly width: number;
  /** One column, or a date and a time of day. */
  readonly time: readonly number[];
  readonly prices: readonly [open: number, high: number, low: number, close: number];
  readonly spread: number;
}

const delimiters = [',', ';', '\t'];
const times = ['time', 'datetime', 'timestamp', 'date'];
const prices = ['open', 'high', 'low', 'close'];
const ignored = ['volume', 'tick_volume', 'real_volume'];
const known = [...times, ...prices, 'spread', ...ignored];

/** The columns that a header names. @returns what is wrong with it, if anything */
export function columnsOfHeader(header: string): ImportColumns | { readonly problems: readonly string[] } {
  const delimiter = delimiters.find((candidate) => header.includes(candidate)) ?? ',';
  const names = cellsOf(header, delimiter).map((name) => name.toLowerCase());
  const at = (name: string): number => names.indexOf(name);
  const missing = prices.filter((name) => at(name) === -1);
  const time = timeColumns(names);
  const problems = [
    ...missing.map((name) => `the header has no column ${name}`),
    ...(time.length === 0 ? ['the header has no column time, datetime, timestamp or date and time'] : []),
    ...names
      .filter((name) => !known.includes(name))
      .map((name) => `column "${name}" is unknown; known are ${known.join(', ')}`),
    ...names.filter((name, index) => at(name) !== index).map((name) => `column ${name} occurs twice`),
  ];
  if (problems.length > 0) return { problems };
  const [open = -1, high = -1, low = -1, close = -1] = prices.map(at);
  return { delimiter, width: names.length, time, prices: [open, high, low, close], spread: at('spread') };
}

/** The cells of a line, without blanks and quotes around them. */
export function cellsOf(line: string, delimiter: string): readonly string[] {
  return line.split(delimiter).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
}

/** `date` and `time` together are one time; two other columns of times contradict each other. */
function timeColumns(names: readonly string[]): readonly number[] {
  const found = times.filter((name) => names.includes(name));
  if (found.length === 1) return [names.indexOf(found[0] ?? '')];
  const isPair = found.length === 2 && found.includes('date') && found.includes('time');
  return isPair ? [names.indexOf('date'), names.indexOf('time')] : [];
}
