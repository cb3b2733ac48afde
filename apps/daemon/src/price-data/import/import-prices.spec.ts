import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { checkPrices } from '../check-prices';
import { importPrices, type ImportOrder } from './import-prices';

const folder = (): string => mkdtempSync(join(tmpdir(), 'import-'));
const written = (text: string | Uint8Array, name = 'some.csv'): string => {
  const path = join(folder(), name);
  writeFileSync(path, text);
  return path;
};
const imported = (files: readonly string[], changes: Partial<ImportOrder> = {}) =>
  importPrices({
    ...{ files, askFiles: [], symbol: 'EURUSD', zone: 'UTC', digits: 5, spreadPoints: 12, folder: folder() },
    ...changes,
  });
const rowsOf = (path = ''): string[] => readFileSync(path, 'utf8').trim().split('\n').slice(1);

const utc = [
  'time,open,high,low,close,volume',
  '2024-01-09 12:00,1.1,1.10025,1.09991,1.1001,7',
  '2024-01-09 12:01,1.1001,1.1002,1.1,1.10015,3',
];
const text = `${utc.join('\n')}\n`;

describe('imported bars', () => {
  it('are bids, and asks that are a spread above them: files that a backtest takes', () => {
    const result = imported([written(text)]);
    const [bid, ask] = result.files;
    expect(rowsOf(bid)).toEqual([
      '2024-01-09 12:00:00+00:00,1.1,1.10025,1.09991,1.1001',
      '2024-01-09 12:01:00+00:00,1.1001,1.1002,1.1,1.10015',
    ]);
    expect(rowsOf(ask)).toEqual([
      '2024-01-09 12:00:00+00:00,1.10012,1.10037,1.10003,1.10022',
      '2024-01-09 12:01:00+00:00,1.10022,1.10032,1.10012,1.10027',
    ]);
    expect(checkPrices(result.files)).toMatchObject([
      { file: 'eurusd-m1-bid.csv', symbol: 'EURUSD', rows: 2, isSound: true, faults: { missing: 0 } },
      { file: 'eurusd-m1-ask-from-spread.csv', rows: 2, isSound: true },
    ]);
    expect(result).toMatchObject({
      kind: 'bars',
      rows: 2,
      firstMs: Date.UTC(2024, 0, 9, 12),
      lastMs: Date.UTC(2024, 0, 9, 12, 1),
    });
  });

  it('may have a spread of each bar, in points of the stated digits', () => {
    const rows = [
      'Time;Open;High;Low;Close;Spread',
      '2024-01-09 12:00;150.1;150.2;150;150.1;8',
      '2024-01-09 12:01;150;150;150;150;10',
    ];
    const { files } = imported([written(rows.join('\r\n'))], { digits: 3, spreadPoints: null });
    expect(rowsOf(files[1]).map((row) => row.split(',')[1])).toEqual(['150.108', '150.01']);
  });

  it.each([
    ['2024-01-09 12:00:00', '2024-01-09 12:01:00'],
    ['2024.01.09 12:00', '2024.01.09 12:01'],
    ['20240109 120000', '20240109 120100'],
    ['1704801600', '1704801660'],
    ['1704801600000', '1704801660000'],
    ['2024-01-09T14:00:00+02:00', '2024-01-09T14:01:00+0200'],
    ['2024-01-09T12:00:00.000Z', '2024-01-09T12:01Z'],
  ])('may have times as %s', (first, second) => {
    const rows = ['datetime,open,high,low,close', `${first},1,1,1,1`, `"${second}",1,1,1,1`];
    expect(imported([written(rows.join('\n'))])).toMatchObject({
      firstMs: Date.UTC(2024, 0, 9, 12),
      lastMs: Date.UTC(2024, 0, 9, 12, 1),
    });
  });

  it('may have a date and a time of day, on the clock of a zone with daylight saving', () => {
    const rows = (date: string) =>
      ['date\ttime\topen\thigh\tlow\tclose', `${date}\t14:00\t1\t1\t1\t1`, `${date}\t14:01\t1\t1\t1\t1`].join('\n');
    const athens = { zone: 'Europe/Athens' };
    expect(imported([written(rows('2024-01-09'))], athens)).toMatchObject({ firstMs: Date.UTC(2024, 0, 9, 12) });
    expect(imported([written(rows('2024-07-09'))], athens)).toMatchObject({ firstMs: Date.UTC(2024, 6, 9, 11) });
  });

  it('may be packed, and come from several files in any order', () => {
    const later = text.replaceAll('2024-01-09', '2024-01-10');
    const zip = written(zipSync({ 'folder/': [new Uint8Array(), {}], 'folder/a.csv': strToU8(later) }), 'a.zip');
    const gz = written(gzipSync(text), 'b.csv.gz');
    const { files, rows } = imported([zip, gz]);
    expect(rows).toBe(4);
    expect(checkPrices(files)).toMatchObject([{ isSound: true, from: '2024-01-09T12:00:00.000Z' }, { isSound: true }]);
  });
});

describe('an import is refused, and writes nothing,', () => {
  const changed = (line: number, row: string): string => utc.map((old, at) => (at === line ? row : old)).join('\n');
  const dated = (time: string): string => changed(1, `${time},1,1,1,1,1`);

  it.each<[string, string, Partial<ImportOrder>, string]>([
    [
      'without a spread',
      text,
      { spreadPoints: null },
      'some.csv: it has one side of the market and no column spread: use --asks or --spread',
    ],
    [
      'with two spreads',
      text.replace('volume', 'spread'),
      {},
      'some.csv: it has a column spread: omit --spread and --asks',
    ],
    ['for a column that is missing', text.replace('close', 'volume'), {}, 'the header has no column close'],
    ['for a column that is unknown', text.replace('volume', 'bid'), {}, 'column "bid" is unknown'],
    [
      'for a file without a header whose columns cannot be told',
      utc.slice(1).join(',1,1,1\n'),
      {},
      'it has no header: name its columns, such as --columns date,time,open,high,low,close,volume',
    ],
    [
      'without a zone',
      text,
      { zone: null },
      'line 2: 2024-01-09 12:00 has no offset from UTC: name the zone of the file by --zone',
    ],
    [
      'for an hour that is left out',
      dated('2024-03-31 03:30'),
      { zone: 'Europe/Athens' },
      'line 2: 2024-03-31 03:30 does not exist in Europe/Athens',
    ],
    [
      'for an hour that comes twice',
      dated('2024-10-27 03:30'),
      { zone: 'Europe/Athens' },
      'line 2: 2024-10-27 03:30 occurs twice in Europe/Athens',
    ],
    ['for a day that is none', dated('2024-02-31 12:00'), {}, 'line 2: 2024-02-31 12:00 is not a time'],
    ['for a date of unknown order', dated('02/01/2024 12:00'), {}, 'line 2: 02/01/2024 12:00 is not a time'],
    [
      'for a bar that opens within a minute',
      dated('2024-01-09 12:00:30'),
      {},
      'line 2: 2024-01-09 12:00:30 is not a full minute, at which bars open',
    ],
    ['for a price that is none', changed(2, '2024-01-09 12:01,1,x,1,1,1'), {}, 'line 3: "x" is not a price'],
    ['for a price of 0', changed(2, '2024-01-09 12:01,1,1,0.0,1,1'), {}, 'line 3: "0.0" is not a price'],
    [
      'for too many digits',
      changed(2, '2024-01-09 12:01,1.123456,2,1,1,1'),
      {},
      'line 3: 1.123456 has more than 5 decimal places: see --digits',
    ],
    [
      'for a close above the high',
      changed(2, '2024-01-09 12:01,1,1,1,1.1,1'),
      {},
      'line 3: its open or close lies outside',
    ],
    ['for a row that is cut short', changed(2, '2024-01-09 12:01,1,1'), {}, 'line 3: it has 3 cells, not 6'],
    [
      'for a minute that comes twice',
      changed(2, '2024-01-09 12:00,1,1,1,1,1'),
      {},
      'line 3: it has the time of the bar before',
    ],
    [
      'for a time that goes back',
      changed(2, '2024-01-09 11:00,1,1,1,1,1'),
      {},
      'line 3: its time is before that of the bar before',
    ],
    ['for a single bar', utc.slice(0, 2).join('\n'), {}, 'its length is unknown'],
    ['without bars', utc[0] ?? '', {}, 'some.csv: it has no prices'],
  ])('%s', (_, content, changes, problem) => {
    const target = folder();
    expect(() => imported([written(content)], { ...changes, folder: target })).toThrow(problem);
    expect(readdirSync(target)).toEqual([]);
  });

  it('for a file that cannot be read or unpacked', () => {
    expect(() => imported(['/gone/a.csv'])).toThrow('a.csv: cannot be read');
    expect(() => imported([written(text, 'a.csv.gz')])).toThrow('a.csv.gz: cannot be read');
    expect(() => imported([written(text, 'a.zip')])).toThrow('a.zip: cannot be read');
    const two = zipSync({ 'a.csv': strToU8(text), 'b.csv': strToU8(text) });
    expect(() => imported([written(two, 'two.zip')])).toThrow('two.zip: holds 2 files');
  });

  it('for files that overlap, with the first of many problems', () => {
    expect(() => imported([written(text, 'a.csv'), written(text, 'b.csv')])).toThrow('a.csv and b.csv overlap in time');
    const faulty = [utc[0], ...Array.from({ length: 7 }, () => 'x')].join('\n');
    expect(() => imported([written(faulty)])).toThrow(/line 6: [^\n]+\nsome\.csv: and 2 more$/);
  });

  it('in a folder that has prices of the symbol', () => {
    const target = folder();
    imported([written(text)], { folder: target });
    expect(() => imported([written(text)], { folder: target })).toThrow('eurusd-m1-bid.csv exists');
    expect(existsSync(join(target, 'eurusd-bars.json'))).toBe(true);
  });
});
