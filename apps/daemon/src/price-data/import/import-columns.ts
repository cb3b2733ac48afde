/** What a file has in each of its rows, beside the time. */
interface Columns {
  readonly delimiter: string;
  readonly width: number;
  /** One column, or a date and a time of day. */
  readonly time: readonly number[];
  /** Zone of times without an offset, where the form determines it; null where the caller has to name it. */
  readonly zone: string | null;
  /** Whether the first line names the columns. */
  readonly hasHeader: boolean;
}

/** One-minute bars of one side of the market; -1 for a column that is not there. */
export interface BarColumns extends Columns {
  readonly kind: 'bars';
  readonly prices: readonly [open: number, high: number, low: number, close: number];
  readonly spread: number;
}

/** Quotes of both sides. */
export interface TickColumns extends Columns {
  readonly kind: 'ticks';
  readonly bid: number;
  readonly ask: number;
  /** Column of the symbol; -1 if there is none. */
  readonly symbol: number;
}

export type ImportColumns = BarColumns | TickColumns;

const delimiters = [',', ';', '\t'];
const times = ['time', 'datetime', 'timestamp', 'date'];
const prices = ['open', 'high', 'low', 'close'];
const sides = ['bid', 'ask'];
const ignored = ['volume', 'tick_volume', 'tickvol', 'real_volume', 'vol', 'last', 'flags'];
const known = [...times, ...prices, 'spread', ...sides, ...ignored];

/** New York without daylight saving; the sign of such a name is that of the difference to it. */
const est = 'Etc/GMT+5';

/** Forms without a header, by the beginning of their rows. */
const headerless: readonly { readonly begins: RegExp; readonly columns: ImportColumns }[] = [
  {
    // HistData, Generic ASCII: 20120201 000000;1.306600;1.306600;1.306560;1.306560;0
    begins: /^\d{8} \d{6};/,
    columns: {
      ...{ kind: 'bars', delimiter: ';', width: 6, time: [0], zone: est, hasHeader: false },
      ...{ prices: [1, 2, 3, 4], spread: -1 },
    },
  },
  {
    // HistData, MetaTrader: 2012.02.01,00:00,1.306600,1.306600,1.306560,1.306560,0. MetaTrader 4 writes its own clock so, too.
    begins: /^\d{4}\.\d\d\.\d\d,\d\d:\d\d,/,
    columns: {
      ...{ kind: 'bars', delimiter: ',', width: 7, time: [0, 1], zone: null, hasHeader: false },
      ...{ prices: [2, 3, 4, 5], spread: -1 },
    },
  },
  {
    // HistData, ticks: 20120201 000003660,1.306600,1.306770,0
    begins: /^\d{8} \d{9},/,
    columns: {
      ...{ kind: 'ticks', delimiter: ',', width: 4, time: [0], zone: est, hasHeader: false },
      ...{ bid: 1, ask: 2, symbol: -1 },
    },
  },
  {
    // TrueFX: EUR/USD,20160502 00:00:00.959,1.14601,1.14605
    begins: /^[A-Z]{3}\/[A-Z]{3},\d{8} /,
    columns: {
      ...{ kind: 'ticks', delimiter: ',', width: 4, time: [1], zone: 'UTC', hasHeader: false },
      ...{ bid: 2, ask: 3, symbol: 0 },
    },
  },
];

/** The columns of a file, by its first line. @returns what is wrong with it, if anything */
export function columnsOf(firstLine: string): ImportColumns | { readonly problems: readonly string[] } {
  return headerless.find(({ begins }) => begins.test(firstLine))?.columns ?? columnsOfHeader(firstLine);
}

function columnsOfHeader(header: string): ImportColumns | { readonly problems: readonly string[] } {
  const delimiter = delimiters.find((candidate) => header.includes(candidate)) ?? ',';
  const stated = cellsOf(header, delimiter).map(statedName);
  const names = stated.map(({ name }) => name);
  const at = (name: string): number => names.indexOf(name);
  const hasSides = sides.every((side) => names.includes(side)) && !prices.some((price) => names.includes(price));
  const missing = (hasSides ? [] : prices).filter((name) => at(name) === -1);
  const time = timeColumns(names);
  const problems = [
    ...missing.map((name) => `the header has no column ${name}`),
    ...(time.length === 0 ? ['the header has no column time, datetime, timestamp or date and time'] : []),
    ...names
      .filter((name) => !known.includes(name) || (!hasSides && sides.includes(name)))
      .map((name) => `column "${name}" is unknown; known are ${known.join(', ')}`),
    ...names.filter((name, index) => at(name) !== index).map((name) => `column ${name} occurs twice`),
  ];
  if (problems.length > 0) return { problems };
  const zone = stated.find(({ zone: of }) => of !== null)?.zone ?? null;
  const shared = { delimiter, width: names.length, time, zone, hasHeader: true };
  if (hasSides) return { ...shared, kind: 'ticks', bid: at('bid'), ask: at('ask'), symbol: -1 };
  const [open = -1, high = -1, low = -1, close = -1] = prices.map(at);
  return { ...shared, kind: 'bars', prices: [open, high, low, close], spread: at('spread') };
}

/** MetaTrader writes `<OPEN>`, and Dukascopy the zone beside the time: `Gmt time`. */
function statedName(cell: string): { readonly name: string; readonly zone: string | null } {
  const name = cell.toLowerCase().replace(/^<(.*)>$/, '$1');
  return name === 'gmt time' ? { name: 'time', zone: 'UTC' } : { name, zone: null };
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
