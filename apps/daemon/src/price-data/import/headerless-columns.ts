import type { ImportColumns } from './source-columns';

/** New York without daylight saving; the sign of such a name is that of the difference to it. */
const est = 'Etc/GMT+5';
const none = { symbol: -1, hasHeader: false, left: [] } as const;

/** Forms of vendors without a header, by the beginning of their rows. */
const vendors: readonly { readonly begins: RegExp; readonly columns: ImportColumns }[] = [
  {
    // HistData, Generic ASCII: 20120201 000000;1.306600;1.306600;1.306560;1.306560;0
    begins: /^\d{8} \d{6};/,
    columns: {
      ...{ ...none, kind: 'bars', delimiter: ';', width: 6, time: [0], zone: est },
      ...{ prices: [1, 2, 3, 4], spread: -1 },
    },
  },
  {
    // HistData, ticks: 20120201 000003660,1.306600,1.306770,0
    begins: /^\d{8} \d{9},/,
    columns: { ...none, kind: 'ticks', delimiter: ',', width: 4, time: [0], zone: est, bid: 1, ask: 2 },
  },
  {
    // TrueFX: EUR/USD,20160502 00:00:00.959,1.14601,1.14605
    begins: /^[A-Z]{3}\/[A-Z]{3},\d{8} /,
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
export function headerlessColumns(
  firstLine: string,
  cells: readonly string[],
  delimiter: string,
): ImportColumns | null {
  const vendor = vendors.find(({ begins }) => begins.test(firstLine))?.columns;
  if (vendor !== undefined) return vendor;
  const [first = '', second = ''] = cells;
  const isPair = date.test(first) && timeOfDay.test(second);
  if (!isPair && !instant.test(first) && !date.test(first)) return null;
  const from = isPair ? 2 : 1;
  const [more, isSpread] = [cells.length - from - 4, isPair && cells.length === from + 4 + withSpread];
  if (!(known.includes(more) || isSpread) || !cells.slice(from).every((cell) => price.test(cell))) return null;
  return {
    ...{ ...none, kind: 'bars', delimiter, width: cells.length, time: isPair ? [0, 1] : [0], zone: null },
    ...{ prices: [from, from + 1, from + 2, from + 3], spread: isSpread ? cells.length - 1 : -1 },
  };
}
