import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { data } from '../../cli/data.command';
import { exportPrices } from '../export-prices';
import { importPrices, type ImportOrder } from './import-prices';
import { parquetTables } from './parquet-table';

const fixtures = join(__dirname, '../../../../../test/fixtures/parquet');
const folder = (): string => mkdtempSync(join(tmpdir(), 'parquet-'));
const imported = async (files: readonly string[], changes: Partial<ImportOrder> = {}) =>
  importPrices({
    ...{ files, askFiles: [], symbol: 'EURUSD', zone: null, digits: 5, spreadPoints: 12, folder: folder() },
    ...{ tables: await parquetTables([...files, ...(changes.askFiles ?? [])]), ...changes },
  });
const rowsOf = (path = ''): string[] => readFileSync(path, 'utf8').trim().split('\n').slice(1);
const bars = [',1.095,1.0951,1.0949,1.095', ',1.095,1.0952,1.095,1.0951', ',1.0951,1.0951,1.0948,1.0949'];
const numbers = (row: string): number[] => row.split(',').slice(1).map(Number);

describe('a Parquet file of another program', () => {
  it.each<[file: string, changes: Partial<ImportOrder>, timeframe: string, times: string[]]>([
    ['pandas-h1.parquet', {}, 'H1', ['2024-01-09 17:00', '2024-01-09 18:00', '2024-01-09 19:00']],
    [
      'pandas-local-h1.parquet',
      { zone: 'Europe/Athens' },
      'H1',
      ['2024-01-09 10:00', '2024-01-09 11:00', '2024-01-09 12:00'],
    ],
    ['polars-d1.parquet', { zone: 'UTC' }, 'D1', ['2024-01-08 00:00', '2024-01-09 00:00', '2024-01-10 00:00']],
  ])('is read as its columns say: %s', async (file, changes, timeframe, times) => {
    const result = await imported([join(fixtures, file)], changes);
    expect(result.timeframe).toBe(timeframe);
    const rows = rowsOf(result.files[0]);
    expect(rows.map((row) => row.split(',')[0])).toEqual(times.map((time) => `${time}:00+00:00`));
    expect(rows.map(numbers)).toEqual(bars.map(numbers));
  });

  it('may have decimals, or ticks with times of the Unix epoch', async () => {
    const minutes = await imported([join(fixtures, 'duckdb-m5.parquet')], { zone: 'UTC' });
    expect(rowsOf(minutes.files[0])[2]).toBe('2024-01-09 12:10:00+00:00,1.095,1.0951,1.0949,1.095');
    const ticks = await imported([join(fixtures, 'duckdb-ticks.parquet')], { spreadPoints: null });
    expect(rowsOf(ticks.files[0])[2]).toBe('2024-01-09 12:00:00.500+00:00,1.09502,1.09522');
  });

  it('needs --zone for times without a zone', async () => {
    await expect(imported([join(fixtures, 'pandas-local-h1.parquet')])).rejects.toThrow(
      'line 2: 2024-01-09T12:00:00.000 has no offset from UTC: name the zone of the file by --zone',
    );
  });

  it('is refused if it is cut short', async () => {
    const path = join(folder(), 'cut.parquet');
    writeFileSync(path, readFileSync(join(fixtures, 'pandas-h1.parquet')).subarray(0, -8));
    await expect(imported([path])).rejects.toThrow('cut.parquet: cannot be read: ');
  });
});

describe('an export', () => {
  const written = (name: string, lines: readonly string[]): string => {
    const path = join(folder(), name);
    writeFileSync(path, `${lines.join('\n')}\n`);
    return path;
  };
  const head = 'timestamp,open,high,low,close';
  const times = ['2024-01-09 12:00:00+00:00', '2024-01-09 12:01:00+00:00'];
  const bid = written('eurusd-m1-bid.csv', [head, ...times.map((time) => `${time},1.095,1.0951,1.0949,1.095`)]);
  const ask = written('eurusd-m1-ask.csv', [head, ...times.map((time) => `${time},1.0951,1.0952,1.095,1.0951`)]);

  it('is imported as what it was made of', async () => {
    const [bids, asks] = await exportPrices([bid, ask], folder());
    expect(bids).toMatchObject({ symbol: 'EURUSD', kind: 'bars', timeframe: 'M1', rows: 2 });
    const { files } = await imported([bids?.file ?? ''], { askFiles: [asks?.file ?? ''], spreadPoints: null });
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(
      [bid, ask].map((file) => readFileSync(file, 'utf8')),
    );
  });

  it('has the times of ticks to the millisecond', async () => {
    const rows = ['2024-01-09 12:00:00.250+00:00,1.09512,1.09524', '2024-01-09 12:00:00.251+00:00,1.09513,1.09525'];
    const [ticks] = await exportPrices([written('eurusd-ticks.csv', ['timestamp,bid,ask', ...rows])], folder());
    const { files } = await imported([ticks?.file ?? ''], { spreadPoints: null });
    expect(rowsOf(files[0])).toEqual(rows);
  });

  it('overwrites nothing, and leaves nothing if a file is refused', async () => {
    const target = folder();
    await exportPrices([bid], target);
    await expect(exportPrices([ask, bid], target)).rejects.toThrow(
      'eurusd-m1-bid.parquet exists: delete it, or use another --store',
    );
    const faulty = written('gbpusd-m1-bid.csv', [head, `${times[0]},1,2,1,x`]);
    await expect(exportPrices([ask, faulty], target)).rejects.toThrow('gbpusd-m1-bid.csv: line 2 has no price');
    expect(readdirSync(target)).toEqual(['eurusd-m1-bid.parquet']);
  });

  it('is a command', async () => {
    const target = folder();
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      expect(await data(['export', bid, '--store', target])).toBe(0);
      expect(write.mock.calls.join('')).toContain(
        `exported 2 M1 bars of EURUSD to ${join(target, 'eurusd-m1-bid.parquet')}`,
      );
      const from = join(target, 'eurusd-m1-bid.parquet');
      const flags = ['--symbol', 'EURUSD', '--digits', '5', '--spread', '12', '--store', target];
      expect(await data(['import', from, ...flags])).toBe(0);
      expect(existsSync(join(target, basename(bid)))).toBe(true);
    } finally {
      write.mockRestore();
    }
    await expect(data(['export'])).rejects.toThrow('data export needs price files');
  });
});
