import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { readRecording } from '@libs/simulator';
import { checkPrices } from '../check-prices';
import { importPrices, type ImportOrder } from './import-prices';

const sample = (name: string): string => join(__dirname, '../../../../../test/fixtures/vendor-prices', name);
const textOf = (name: string): string => readFileSync(sample(name), 'utf8');
const folder = (): string => mkdtempSync(join(tmpdir(), 'import-'));
const written = (text: string | Uint8Array, name = 'some.csv'): string => {
  const path = join(folder(), name);
  writeFileSync(path, text);
  return path;
};
const imported = (file: string, changes: Partial<ImportOrder> = {}) =>
  importPrices({
    ...{ files: [file], askFiles: [], symbol: 'EURUSD', zone: null, digits: 5, spreadPoints: null, folder: folder() },
    ...changes,
  });
const rowsOf = (path = ''): string[] => readFileSync(path, 'utf8').trim().split('\n').slice(1);
const soundness = (files: readonly string[]) => checkPrices(files).map(({ rows, isSound }) => ({ rows, isSound }));

describe('a file of HistData', () => {
  it('has one-minute bars of bids, on the clock of New York without daylight saving', () => {
    const { files, rows, firstMs } = imported(sample('histdata-m1.csv'), { spreadPoints: 17 });
    expect([rows, firstMs]).toEqual([7, Date.UTC(2012, 1, 1, 5)]);
    expect(rowsOf(files[0])[6]).toBe('2012-02-01 05:06:00+00:00,1.306610,1.306760,1.306610,1.306650');
    expect(rowsOf(files[1])[6]).toBe('2012-02-01 05:06:00+00:00,1.30678,1.30693,1.30678,1.30682');
    expect(soundness(files)).toEqual([
      { rows: 7, isSound: true },
      { rows: 7, isSound: true },
    ]);
  });

  it('may come in its zip, with the report beside it', () => {
    const zip = zipSync({
      'DAT_ASCII_EURUSD_M1_201202.csv': strToU8(textOf('histdata-m1.csv')),
      'DAT_ASCII_EURUSD_M1_201202.txt': strToU8('Gap of 103s found'),
    });
    expect(imported(written(zip, 'HISTDATA_COM_ASCII_EURUSD_M1201202.zip'), { spreadPoints: 17 }).rows).toBe(7);
  });

  it('needs no zone, and is refused with another one', () => {
    const zoned = (zone: string) => imported(sample('histdata-m1.csv'), { spreadPoints: 17, zone });
    expect(() => zoned('America/New_York')).toThrow('histdata-m1.csv: its times are in Etc/GMT+5: omit --zone');
    expect(zoned('Etc/GMT+5').rows).toBe(7);
  });

  it('has the same bars in the form of MetaTrader, which does not state its zone', () => {
    const file = sample('histdata-metatrader-m1.csv');
    const zoned = imported(file, { spreadPoints: 17, zone: 'Etc/GMT+5' });
    const plain = imported(sample('histdata-m1.csv'), { spreadPoints: 17 });
    expect(rowsOf(zoned.files[0]).slice(0, 7)).toEqual(rowsOf(plain.files[0]));
    expect(() => imported(file, { spreadPoints: 17 })).toThrow('line 1: 2012.02.01 00:00 has no offset from UTC');
  });

  it('has ticks as a backtest reads them from it', () => {
    const file = sample('histdata-ticks.csv');
    const { kind, files, firstMs } = imported(file);
    expect([kind, firstMs]).toEqual(['ticks', Date.UTC(2012, 1, 1, 5, 0, 3, 660)]);
    expect(files.map((path) => path.split('/').at(-1))).toEqual(['eurusd-ticks.csv']);
    const read = (path = ''): unknown => readRecording(path, readFileSync(path, 'utf8'));
    expect(read(files[0])).toEqual(read(file));
    expect(soundness(files)).toEqual([{ rows: 8, isSound: true }]);
  });
});

describe('a file of Dukascopy', () => {
  const bids = 'dukascopy-m1-bid.csv';
  const asks = (text: string): string =>
    written(text.replaceAll(/,1\.1(6\d{3})/g, (_, end) => `,1.1${Number(end) + 9}`));

  it('has one side of the market in UTC, the day before the month', () => {
    const { files, firstMs, lastMs } = imported(sample(bids), { spreadPoints: 9 });
    expect([firstMs, lastMs]).toEqual([Date.UTC(2018, 9, 1), Date.UTC(2018, 9, 1, 0, 7)]);
    expect(rowsOf(files[0])[5]).toBe('2018-10-01 00:05:00+00:00,1.16050,1.16067,1.16048,1.16067');
  });

  it('has its asks in a second file', () => {
    const { files } = imported(sample(bids), { askFiles: [asks(textOf(bids))] });
    expect(files.map((path) => path.split('/').at(-1))).toEqual(['eurusd-m1-bid.csv', 'eurusd-m1-ask.csv']);
    expect(rowsOf(files[1])[5]).toBe('2018-10-01 00:05:00+00:00,1.16059,1.16076,1.16057,1.16076');
    expect(soundness(files)).toEqual([
      { rows: 8, isSound: true },
      { rows: 8, isSound: true },
    ]);
  });

  it.each([
    ['a bar', 4, 5, '2018-10-01 00:03:00+00:00'],
    ['the last bar', 8, 9, '2018-10-01 00:07:00+00:00'],
  ])('is refused if one side lacks %s', (_, from, to, time) => {
    const lines = textOf(bids).trim().split('\n');
    const short = [...lines.slice(0, from), ...lines.slice(to)].join('\n');
    const target = folder();
    const problem = `the bar of ${time} has only one side of the market`;
    expect(() => imported(sample(bids), { askFiles: [asks(short)], folder: target })).toThrow(problem);
    expect(() => imported(written(short), { askFiles: [asks(textOf(bids))], folder: target })).toThrow(problem);
    expect(readdirSync(target)).toEqual([]);
  });
});

describe('an export of MetaTrader 5', () => {
  const athens = { zone: 'Europe/Athens' };

  it('has bars of bids with their spread, on the clock of the server', () => {
    const { files, rows, firstMs } = imported(sample('metatrader5-m1.csv'), athens);
    expect([rows, firstMs]).toEqual([8, Date.UTC(2018, 4, 31, 21)]);
    expect(rowsOf(files[1])[0]).toBe('2018-05-31 21:00:00+00:00,1.16926,1.16953,1.16899,1.16902');
    expect(soundness(files)).toEqual([
      { rows: 8, isSound: true },
      { rows: 8, isSound: true },
    ]);
    expect(() => imported(sample('metatrader5-m1.csv'))).toThrow('name the zone of the file by --zone');
  });

  it('has ticks, in which a side that has not changed is empty', () => {
    const { kind, files, firstMs } = imported(sample('metatrader5-ticks.csv'), { ...athens, symbol: 'EURGBP' });
    expect([kind, firstMs]).toEqual(['ticks', Date.UTC(2022, 10, 10, 13, 0, 0, 17)]);
    expect(rowsOf(files[0])[6]).toBe('2022-11-10 13:00:01.596+00:00,0.86682,0.86713');
    expect(soundness(files)).toEqual([{ rows: 7, isSound: true }]);
    const changed = textOf('metatrader5-ticks.csv').replace('0.86681\t0.86710', '\t0.86710');
    expect(rowsOf(imported(written(changed), athens).files[0])[1]).toBe(
      '2022-11-10 13:00:00.228+00:00,0.86682,0.86710',
    );
    const begun = textOf('metatrader5-ticks.csv').replace('0.86682\t', '\t');
    expect(() => imported(written(begun), athens)).toThrow('some.csv: line 2: "" is not a price');
  });
});

describe('a file of TrueFX', () => {
  it('has ticks in UTC', () => {
    const { files, firstMs } = imported(sample('truefx-eurusd-ticks.csv'));
    expect(firstMs).toBe(Date.UTC(2016, 4, 2, 0, 0, 0, 959));
    expect(rowsOf(files[0])[3]).toBe('2016-05-02 00:00:01.078+00:00,1.14599,1.14605');
    expect(soundness(files)).toEqual([{ rows: 4, isSound: true }]);
  });

  it('has prices that are a thousandth of a point off, which are rounded; others are refused', () => {
    const yen = { symbol: 'USDJPY', digits: 3 };
    const { files } = imported(sample('truefx-usdjpy-ticks.csv'), yen);
    expect(rowsOf(files[0])[1]).toBe('2016-05-06 20:59:56.291+00:00,107.090,107.210');
    expect(() => imported(sample('truefx-usdjpy-ticks.csv'), { ...yen, digits: 2 })).toThrow(
      'line 1: 107.166 has more than 2 decimal places: see --digits',
    );
  });

  it('is refused for another symbol', () => {
    expect(() => imported(sample('truefx-usdjpy-ticks.csv'))).toThrow('it is of USD/JPY, not of EURUSD');
    expect(imported(sample('truefx-eurusd-ticks.csv'), { symbol: 'EURUSD.pro' }).rows).toBe(4);
  });
});

describe('ticks', () => {
  const ticks = sample('truefx-eurusd-ticks.csv');

  it('have both sides, so that neither a spread nor asks are taken', () => {
    expect(() => imported(ticks, { spreadPoints: 5 })).toThrow('omit --spread');
    expect(() => imported(ticks, { askFiles: [ticks] })).toThrow('omit --asks');
  });

  it('are not joined with bars', () => {
    const bars = sample('histdata-m1.csv');
    expect(() => imported(ticks, { files: [ticks, bars] })).toThrow(
      'histdata-m1.csv: it has bars, and others have ticks',
    );
    expect(() => imported(ticks, { files: [bars, ticks], spreadPoints: 5 })).toThrow(
      'truefx-eurusd-ticks.csv: it has ticks, and others have bars',
    );
  });

  it('are refused if a time goes back', () => {
    const back = textOf('truefx-eurusd-ticks.csv').replace('00:00:01.018', '00:00:00.018');
    expect(() => imported(written(back))).toThrow('line 3: its time is before that of the quote before');
  });
});
