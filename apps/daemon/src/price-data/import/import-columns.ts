import type { TimeForm } from './import-clock';
import type { SourceTable } from './parquet-table';
import type { ImportColumns } from './source-columns';

const delimiters = ['\t', ';', '|', ','];
const times = ['time', 'datetime', 'timestamp', 'date'];
const prices = ['open', 'high', 'low', 'close'];
const sides = ['bid', 'ask'];
const volumes = [
  ...['volume', 'tickvolume', 'tickvol', 'realvolume', 'vol', 'askvolume', 'bidvolume', 'last', 'flags'],
  ...['tickcount', 'trades'],
];
/** Columns that change no price and no time. */
const harmless = [
  ...['index', 'openinterest', 'oi', 'adjclose', 'adjustedclose', 'period', 'per', 'timeframe', 'tf', 'interval'],
  ...['closetime', 'quotevolume', 'quoteassetvolume', 'numberoftrades', 'tradecount', 'count', 'ignore', 'vwap'],
  ...['takerbuyvolume', 'takerbuyquotevolume', 'takerbuybaseassetvolume', 'takerbuyquoteassetvolume', 'turnover'],
  ...['dividends', 'stocksplits', 'complete', 'exchange', 'change', 'changepct'],
];
/** Other names of columns, in letters and digits alone. */
const aliases: Readonly<Record<string, string>> = {
  askprice: 'ask',
  bidprice: 'bid',
  o: 'open',
  h: 'high',
  l: 'low',
  c: 'close',
  v: 'volume',
  opentime: 'time',
  bartime: 'time',
  localtime: 'time',
  timeeet: 'time',
  dtyyyymmdd: 'date',
  unix: 'timestamp',
  unixtime: 'timestamp',
  unixtimestamp: 'timestamp',
  epoch: 'timestamp',
  ts: 'timestamp',
  ticker: 'symbol',
  instrument: 'symbol',
  pair: 'symbol',
};
const read = [...times, ...prices, 'spread', ...sides, 'symbol'];
/** Names of columns to leave out in `--columns`, and those of an index of pandas. */
const unnamed = /^(-|unnamed: \d+|)$/;

/** What the caller states about the form of a file. */
export interface StatedForm extends TimeForm {
  /** Columns of the header to leave out, by name. */
  readonly ignore?: readonly string[];
  /** Names of the columns, of a file without a header or in place of those of the header. */
  readonly columns?: readonly string[];
  /** Whether prices have a comma before their decimal places. */
  readonly hasDecimalComma?: boolean;
  /** Whether the rows are in another order than that of their times. */
  readonly isUnsorted?: boolean;
  /** Tables of Parquet files, by path. */
  readonly tables?: ReadonlyMap<string, SourceTable>;
  /** What a column of spreads is in: points without it. */
  readonly spreadUnit?: 'points' | 'price';
}

type Refused = { readonly problems: readonly string[] };

/** The columns of a file, by its first line. @returns what is wrong with it, if anything */
export function columnsOf(firstLine: string, form: StatedForm = {}): ImportColumns | Refused {
  const delimiter = delimiterOf(firstLine, form);
  const cells = cellsOf(firstLine, delimiter);
  const isData = cells.every((cell) => /^[\d\s.:,/+-]*$/.test(cell));
  if (form.columns !== undefined) {
    const found = columnsOfNames(form.columns, delimiter, form);
    return 'problems' in found ? found : { ...found, hasHeader: !/\d/.test(firstLine) };
  }
  const known = headerlessColumns(firstLine, cells, delimiter);
  if (known !== null) return known;
  if (isData) {
    return {
      problems: ['it has no header: name its columns, such as --columns date,time,open,high,low,close,volume'],
    };
  }
  return columnsOfNames(cells, delimiter, form);
}

/** A comma may be within a price, so that it is the last to be looked for. */
function delimiterOf(firstLine: string, { hasDecimalComma = false }: StatedForm): string {
  const candidates = hasDecimalComma ? delimiters.filter((candidate) => candidate !== ',') : delimiters;
  return candidates.find((candidate) => firstLine.includes(candidate)) ?? ',';
}

function columnsOfNames(cells: readonly string[], delimiter: string, form: StatedForm): ImportColumns | Refused {
  const ignored = (form.ignore ?? []).map((name) => name.trim().toLowerCase());
  const stated = cells.map(statedName);
  const unmatched = ignored.filter((left) => !stated.some(({ name, text }) => left === text || left === name));
  const taken = stated.map(
    ({ name, text }) => !unnamed.test(text) && !ignored.includes(text) && !ignored.includes(name),
  );
  const named = stated.map(({ name }, index) => (taken[index] && read.includes(name) ? name : ''));
  const names = isIndexOfTimes(stated[0]?.text, named, ignored) ? ['time', ...named.slice(1)] : named;
  const at = (name: string): number => names.indexOf(name);
  const hasOpen = prices.some((price) => names.includes(price));
  const isTicks = !hasOpen && sides.some((side) => names.includes(side));
  const time = timeColumns(
    names,
    stated.map(({ text }) => text),
  );
  const unread = stated.filter(({ name }, index) => taken[index] && !read.includes(name) && !volumes.includes(name));
  const unknown = unread
    .filter(({ name }) => !harmless.includes(name) && !name.startsWith('volume'))
    .map(({ text }) => text);
  const problems = [
    ...missingColumns((isTicks ? sides : prices).filter((name) => at(name) === -1)),
    ...(typeof time === 'string' ? [time] : []),
    ...unmatched.map((name) => `it has no column ${name}, which --ignore names`),
    ...unknownColumns([...unknown, ...(isTicks ? [] : sides.filter((side) => names.includes(side)))]),
    ...names.filter((name, index) => name !== '' && at(name) !== index).map((name) => `column ${name} occurs twice`),
  ];
  if (problems.length > 0 || typeof time === 'string') return { problems };
  const zone = stated.find(({ zone: of }, index) => taken[index] && of !== null)?.zone ?? null;
  const left = unread.map(({ text }) => text);
  const shared = { delimiter, width: names.length, time, zone, symbol: at('symbol'), hasHeader: true, left };
  if (isTicks) return { ...shared, kind: 'ticks', bid: at('bid'), ask: at('ask') };
  const [open = -1, high = -1, low = -1, close = -1] = prices.map(at);
  return { ...shared, kind: 'bars', prices: [open, high, low, close], spread: at('spread') };
}

/** Whether the first column is an index of pandas that was written without a name, and no other column has times. */
function isIndexOfTimes(first: string | undefined, named: readonly string[], ignored: readonly string[]): boolean {
  const isUnnamed = first !== undefined && first !== '-' && unnamed.test(first) && !ignored.includes(first);
  return isUnnamed && !times.some((time) => named.includes(time));
}

function missingColumns(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return [`the header has no column ${names.join(', ')}: if they have other names, name all columns by --columns`];
}

function unknownColumns(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const quoted = names.map((name) => `"${name}"`).join(', ');
  const list = names.some((name) => name.includes(' ')) ? `"${names.join(',')}"` : names.join(',');
  const [which, them] = names.length === 1 ? [`column ${quoted} is`, 'it'] : [`columns ${quoted} are`, 'them'];
  return [`${which} unknown: leave ${them} out by --ignore ${list}; known are ${[...read, ...volumes].join(', ')}`];
}

/** MetaTrader writes `<OPEN>`, and others the zone beside the time: `Gmt time`, `timestamp_utc`. */
function statedName(cell: string): { readonly name: string; readonly text: string; readonly zone: string | null } {
  const text = cell
    .trim()
    .toLowerCase()
    .replace(/^<(.*)>$/, '$1');
  const [plain, key] = [nameOf(text), nameOf(text.replace(/(?<![a-z])(utc|gmt)(?![a-z])/, ''))];
  const isZoned = key !== plain && (key === '' || times.includes(key));
  return isZoned ? { name: key || 'time', text, zone: 'UTC' } : { name: plain, text, zone: null };
}

function nameOf(text: string): string {
  const key = text.replaceAll(/[^a-z0-9]/g, '');
  return Object.hasOwn(aliases, key) ? (aliases[key] ?? key) : key;
}

/** The cells of a line, without blanks and quotes around them. */
export function cellsOf(line: string, delimiter: string): readonly string[] {
  if (!line.includes('"')) return line.split(delimiter).map((cell) => cell.trim());
  const cells: string[] = [];
  let open = '';
  for (const part of line.split(delimiter)) {
    const cell = open + part;
    // A delimiter between quotes is part of the cell.
    open = cell.split('"').length % 2 === 0 ? `${cell}${delimiter}` : '';
    if (open === '') cells.push(unquoted(cell.trim()));
  }
  return open === '' ? cells : [...cells, open];
}

function unquoted(cell: string): string {
  return cell.replace(/^"(.*)"$/, '$1').replaceAll('""', '"');
}

/** Of a file whose lines are each in quotes, the lines without them; any other line as it is. */
export function unwrapped(line: string): string {
  const inner = /^"((?:[^"]|"")*)"$/.exec(line)?.[1];
  return inner !== undefined && delimiters.some((delimiter) => inner.includes(delimiter))
    ? inner.replaceAll('""', '"')
    : line;
}

/** `date` and `time` together are one time; two other columns of times contradict each other. @returns what is wrong with it, if anything */
function timeColumns(names: readonly string[], texts: readonly string[]): readonly number[] | string {
  const found = times.filter((name) => names.includes(name));
  if (found.length === 0) return 'the header has no column time, datetime, timestamp or date and time';
  if (found.length === 1) return [names.indexOf(found[0] ?? '')];
  const isPair = found.length === 2 && found.includes('date') && found.includes('time');
  if (isPair) return [names.indexOf('date'), names.indexOf('time')];
  const shown = found.map((name) => texts[names.indexOf(name)]).join(', ');
  return `it has more than one column of times: ${shown}: leave out all but one by --ignore`;
}

/** New York without daylight saving; the sign of such a name is that of the difference to it. */
const est = 'Etc/GMT+5';
const none = { symbol: -1, hasHeader: false, left: [] } as const;

/** Vendors whose rows have no header, and whose form tells their time zone. */
const vendors: readonly { readonly form: RegExp; readonly columns: ImportColumns }[] = [
  {
    // HistData, Generic ASCII: 20120201 000000;1.306600;1.306600;1.306560;1.306560;0. It has no volumes; NinjaTrader's rows do.
    form: /^\d{8} \d{6};.*;0\s*$/,
    columns: {
      ...none,
      kind: 'bars',
      delimiter: ';',
      width: 6,
      time: [0],
      zone: est,
      prices: [1, 2, 3, 4],
      spread: -1,
    },
  },
  {
    // HistData, ticks: 20120201 000003660,1.306600,1.306770,0
    form: /^\d{8} \d{9},/,
    columns: { ...none, kind: 'ticks', delimiter: ',', width: 4, time: [0], zone: est, bid: 1, ask: 2 },
  },
  {
    // TrueFX: EUR/USD,20160502 00:00:00.959,1.14601,1.14605
    form: /^[A-Z]{3}\/[A-Z]{3},\d{8} /,
    columns: { ...none, kind: 'ticks', delimiter: ',', width: 4, time: [1], zone: 'UTC', bid: 2, ask: 3, symbol: 0 },
  },
];

const date = /^(\d{4}[-./]\d\d[-./]\d\d|\d{8}|\d\d\.\d\d\.\d{4})$/;
const timeOfDay = /^(\d\d:\d\d(:\d\d(\.\d+)?)?|\d{6})$/;
const instant = /^(\d{4}[-./]\d\d[-./]\d\d[T ]\d\d:\d\d\S*|\d{8} \d\d:?\d\d\S*|\d{10}|\d{13}|\d{16}|\d{19})$/;
const price = /^\d+([.,]\d+)?$/;
/**
 * What follows the four prices: nothing, a volume, a volume and a number of trades. MetaTrader 5 has tick volume, volume and
 * spread; Binance has seven more columns.
 */
const known = [0, 1, 2, 7];
const withSpread = 3;

/**
 * The columns of a row without a header that is a time, open, high, low and close, as MetaTrader, Binance and Kraken write it.
 * Prices in another order are found by their high and low, row by row. Null for any other row.
 */
function headerlessColumns(firstLine: string, cells: readonly string[], delimiter: string): ImportColumns | null {
  const vendor = vendors.find(({ form }) => form.test(firstLine))?.columns;
  if (vendor !== undefined) return vendor;
  const [first = '', second = ''] = cells;
  const isPair = date.test(first) && timeOfDay.test(second);
  if (!isPair && !instant.test(first) && !date.test(first)) return null;
  const from = isPair ? 2 : 1;
  const [more, isSpread] = [cells.length - from - 4, isPair && cells.length === from + 4 + withSpread];
  if (!(known.includes(more) || isSpread) || !cells.slice(from).every((cell) => price.test(cell))) return null;
  return {
    ...none,
    kind: 'bars',
    delimiter,
    width: cells.length,
    time: isPair ? [0, 1] : [0],
    zone: null,
    prices: [from, from + 1, from + 2, from + 3],
    spread: isSpread ? cells.length - 1 : -1,
  };
}
