import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importPrices, type ImportOrder } from './import-prices';

const folder = (): string => mkdtempSync(join(tmpdir(), 'foreign-'));
const written = (content: string | Uint8Array): string => {
  const path = join(folder(), 'some.csv');
  writeFileSync(path, content);
  return path;
};
const imported = (content: string | Uint8Array, changes: Partial<ImportOrder> = {}) =>
  importPrices({
    ...{ files: [written(content)], askFiles: [], symbol: 'EURUSD', zone: 'UTC', digits: 5, spreadPoints: 12 },
    ...{ folder: folder(), ...changes },
  });
const rowsOf = (path = ''): string[] => readFileSync(path, 'utf8').trim().split('\n').slice(1);

const prices = '1.09500,1.09505,1.09495,1.09501';
const minutes = ['12:00', '12:01', '12:02'];
const header = 'time,open,high,low,close,volume';
const body = minutes.map((time) => `2024-01-09 ${time},${prices},10`);
const plain = [header, ...body].join('\n');
const expected = minutes.map((time) => `2024-01-09 ${time}:00+00:00,${prices}`);

describe('a file of another program', () => {
  it.each([
    ['UTF-16, little end first', Buffer.from(`\uFEFF${plain}`, 'utf16le')],
    ['UTF-16, big end first', Buffer.from(`\uFEFF${plain}`, 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from(plain, 'utf16le')],
  ])('may be in %s', (_what, bytes) => {
    expect(rowsOf(imported(bytes).files[0])).toEqual(expected);
  });

  it('may have an index of pandas without a name', () => {
    const text = [`,${header}`, ...body.map((row, index) => `${index},${row}`)].join('\n');
    expect(rowsOf(imported(text).files[0])).toEqual(expected);
  });

  it('may have other columns, which --ignore names', () => {
    const text = [`${header},rsi,Adj Close`, ...body.map((row) => `${row},50,1`)].join('\n');
    expect(() => imported(text)).toThrow('column "rsi" is unknown: leave it out by --ignore rsi');
    expect(rowsOf(imported(text, { ignore: ['RSI', 'adj close'] }).files[0])).toEqual(expected);
    expect(() => imported(text, { ignore: ['rsi', 'adj close', 'macd'] })).toThrow(
      'it has no column macd, which --ignore names',
    );
  });

  it('has no header, so that --columns names its columns', () => {
    const text = minutes.map((time) => `2024.01.09;${time}:00;${prices.replaceAll(',', ';')};10`).join('\n');
    expect(() => imported(text)).toThrow(
      'it has no header: name its columns, such as --columns date,time,open,high,low,close,volume',
    );
    const columns = ['date', 'time', 'open', 'high', 'low', 'close', 'volume'];
    expect(rowsOf(imported(text, { columns }).files[0])).toEqual(expected);
    expect(() => imported(text, { columns: columns.slice(1) })).toThrow('line 1: it has 7 cells, not 6');
  });

  it('may have times in microseconds of the Unix epoch', () => {
    const first = Date.UTC(2024, 0, 9, 12) * 1_000;
    const text = [header, ...minutes.map((_, index) => `${first + index * 60_000_000},${prices},1`)].join('\n');
    expect(rowsOf(imported(text, { zone: null }).files[0])).toEqual(expected);
  });

  it.each([
    ['web', 'Time,Ask,Bid,AskVolume,BidVolume', '09.01.2024 12:00:00.123'],
    ['dukascopy-node', 'timestamp,askPrice,bidPrice,askVolume,bidVolume', '1704801600123'],
  ])('may have ticks of Dukascopy (%s)', (_what, names, time) => {
    const { kind, files } = imported(`${names}\n${time},1.09502,1.095,1.5,2.25\n`, { spreadPoints: null });
    expect([kind, rowsOf(files[0])]).toEqual(['ticks', ['2024-01-09 12:00:00.123+00:00,1.09500,1.09502']]);
  });

  it('may have decimal commas between semicolons, which --decimal-comma states', () => {
    const text = [header.replaceAll(',', ';'), ...body.map((row) => row.replaceAll(',', ';').replaceAll('.', ','))];
    expect(() => imported(text.join('\n'))).toThrow('if its comma is a decimal one, use --decimal-comma');
    expect(rowsOf(imported(text.join('\n'), { hasDecimalComma: true }).files[0])).toEqual(expected);
  });
});
