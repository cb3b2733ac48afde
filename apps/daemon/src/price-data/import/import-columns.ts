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
const ignored = [
  ...['volume', 'tick_volume', 'tickvol', 'real_volume', 'vol', 'last', 'flags'],
  ...['askvolume', 'bidvolume', 'realvolume', 'openinterest'],
];
/** Other names of columns. */
const aliases: Readonly<Record<string, string>> = { askprice: 'ask', bidprice: 'bid' };
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

/** What the caller states about the form of a file. */
export interface StatedForm {
  /** Columns of the header to leave out, by name. */
  readonly ignore?: readonly string[];
  /** Names of the columns of a file without a header. */
  readonly columns?: readonly string[];
  /** Whether prices have a comma before their decimal places. */
  readonly hasDecimalComma?: boolean;
}

type Refused = { readonly problems: readonly string[] };

/** The columns of a file, by its first line. @returns what is wrong with it, if anything */
export function columnsOf(firstLine: string, form: StatedForm = {}): ImportColumns | Refused {
  const delimiter = delimiterOf(firstLine, form);
  if (form.columns !== undefined) {
    const found = columnsOfNames(form.columns, delimiter, form);
    return 'problems' in found ? found : { ...found, hasHeader: false };
  }
  const vendor = headerless.find(({ begins }) => begins.test(firstLine))?.columns;
  if (vendor !== undefined) return vendor;
  const cells = cellsOf(firstLine, delimiter);
  if (cells.every((cell) => /^[\d\s.:,/+-]*$/.test(cell))) {
    return {
      problems: ['it has no header: name its columns, such as --columns date,time,open,high,low,close,volume'],
    };
  }
  return columnsOfNames(cells, delimiter, form);
}

function delimiterOf(firstLine: string, { hasDecimalComma = false }: StatedForm): string {
  const candidates = hasDecimalComma ? delimiters.filter((candidate) => candidate !== ',') : delimiters;
  return candidates.find((candidate) => firstLine.includes(candidate)) ?? ',';
}

function columnsOfNames(cells: readonly string[], delimiter: string, form: StatedForm): ImportColumns | Refused {
  const left = (form.ignore ?? []).map((name) => name.trim().toLowerCase());
  const stated = cells.map(statedName);
  const unmatched = left.filter((name) => !stated.some((column) => column.name === name));
  // A column without a name is one to leave out.
  const names = stated.map(({ name }, index) => {
    return left.includes(name) || (index === 0 && name === 'unnamed: 0') ? '' : name;
  });
  const at = (name: string): number => names.indexOf(name);
  const hasSides = sides.every((side) => names.includes(side)) && !prices.some((price) => names.includes(price));
  const missing = (hasSides ? [] : prices).filter((name) => at(name) === -1);
  const time = timeColumns(names);
  const problems = [
    ...missing.map((name) => `the header has no column ${name}`),
    ...(time.length === 0 ? ['the header has no column time, datetime, timestamp or date and time'] : []),
    ...unmatched.map((name) => `it has no column ${name}, which --ignore names`),
    ...names
      .filter((name) => name !== '' && (!known.includes(name) || (!hasSides && sides.includes(name))))
      .map((name) => `column "${name}" is unknown: leave it out by --ignore ${name}; known are ${known.join(', ')}`),
    ...names.filter((name, index) => name !== '' && at(name) !== index).map((name) => `column ${name} occurs twice`),
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
  return name === 'gmt time' ? { name: 'time', zone: 'UTC' } : { name: aliases[name] ?? name, zone: null };
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
