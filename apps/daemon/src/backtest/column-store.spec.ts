import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readRecording, type Recording } from '@libs/simulator';
import fc from 'fast-check';
import { columnBytes, columnPath, readWithColumns } from './column-store';
import { readPrices } from './recorded-prices';
import { generatedPrices } from './testing/generated-prices';

const limits = { leastSourceBytes: 0, mostBytes: 10_000 };
const bars =
  'timestamp,open,high,low,close\n2024-01-09 12:00:00,1.1,1.3,1.0,1.2\n2024-01-09 12:01:00,1.2,1.3,1.1,1.1\n';
const ticks = 'timestamp,bid,ask\n2024-01-09 12:00:00.295,1.1,1.2\n2024-01-09 12:00:01.005,1.15,1.2\n';
const sourceOf = (text: string): Buffer => createHash('sha256').update(text).digest();

function priceFile(text: string, name = 'eurusd-bid.csv'): string {
  const path = join(mkdtempSync(join(tmpdir(), 'columns-')), name);
  writeFileSync(path, text);
  return path;
}

/** A price file with kept columns of other prices: the prices of a run show which of the two it read. */
function withOtherColumns(): { readonly path: string; readonly other: Recording } {
  const path = priceFile(bars);
  readWithColumns(path, limits);
  const other = readRecording('x', bars.replaceAll('1.2', '1.25'));
  writeFileSync(columnPath(path), columnBytes(other, sourceOf(bars)));
  return { path, other };
}

describe('the columns of a price file', () => {
  it.each([
    ['bars', bars],
    ['ticks', ticks],
  ])('are those of its %s', (_, text) => {
    const path = priceFile(text);
    const parsed = readRecording('x', text);
    expect(readWithColumns(path, limits)).toEqual(parsed);
    expect(readWithColumns(path, limits)).toEqual(parsed);
  });

  it('are read from a file of their own, which only its owner can read', () => {
    const { path, other } = withOtherColumns();
    expect(readWithColumns(path, limits)).toEqual(other);
    const fresh = priceFile(bars);
    readWithColumns(fresh, limits);
    expect(statSync(columnPath(fresh)).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(columnPath(fresh))).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(columnPath(fresh)))).toEqual(['eurusd-bid.csv.columns']);
  });

  it('are made again for a price file that was changed, also with its size and times kept', () => {
    const path = priceFile(bars);
    readWithColumns(path, limits);
    const { atime, mtime } = statSync(path);
    const changed = bars.replace('1.1,1.3,1.0,1.2', '1.1,1.3,1.0,1.3');
    writeFileSync(path, changed);
    utimesSync(path, atime, mtime);
    expect(readWithColumns(path, limits)).toEqual(readRecording('x', changed));
    expect(readFileSync(columnPath(path))).toEqual(columnBytes(readRecording('x', changed), sourceOf(changed)));
  });

  it('are made again when a byte of their file is another one', () => {
    const { path } = withOtherColumns();
    const bytes = readFileSync(columnPath(path));
    const parsed = readRecording('x', bars);
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ change;
        writeFileSync(columnPath(path), damaged);
        expect(readWithColumns(path, limits)).toEqual(parsed);
        expect(readFileSync(columnPath(path))).toEqual(columnBytes(parsed, sourceOf(bars)));
      }),
    );
  });

  it.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, -8)],
    ['longer', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(8)])],
    ['empty', () => Buffer.alloc(0)],
    ['of another program', () => Buffer.from('{}')],
    ['those of another price file', () => columnBytes(readRecording('x', ticks), sourceOf(ticks))],
  ])('are made again when their file is %s', (_, change) => {
    const { path } = withOtherColumns();
    writeFileSync(columnPath(path), change(readFileSync(columnPath(path))));
    expect(readWithColumns(path, limits)).toEqual(readRecording('x', bars));
  });

  it('stay within their limit: those written longest ago go first', () => {
    const folder = mkdtempSync(join(tmpdir(), 'columns-'));
    const [a, b, c] = [join(folder, 'a.csv'), join(folder, 'b.csv'), join(folder, 'c.csv')];
    for (const path of [a, b, c]) writeFileSync(path, bars);
    const bytes = columnBytes(readRecording('x', bars), sourceOf(bars)).length;
    const two = { ...limits, mostBytes: 2 * bytes };
    readWithColumns(a, two);
    readWithColumns(b, two);
    utimesSync(columnPath(b), 1, 1);
    readWithColumns(c, two);
    expect([a, b, c].map((path) => existsSync(columnPath(path)))).toEqual([true, false, true]);
    readWithColumns(b, { ...limits, mostBytes: bytes - 1 });
    expect(existsSync(columnPath(b))).toBe(false);
  });

  it('are not kept where that is impossible, and not of prices that are refused', () => {
    const path = priceFile(bars);
    writeFileSync(dirname(columnPath(path)), '');
    expect(readWithColumns(path, limits)).toEqual(readRecording('x', bars));
    const faulty = priceFile(bars.replace('12:01', '12:00'));
    expect(() => readWithColumns(faulty, limits)).toThrow('line 3 has the time of the line before');
    expect(existsSync(columnPath(faulty))).toBe(false);
  });

  it('are kept by a backtest of files of a month', () => {
    const folder = mkdtempSync(join(tmpdir(), 'columns-'));
    const paths = generatedPrices.map((_, index) => join(folder, `gbpusd-${index === 0 ? 'bid' : 'ask'}.csv`));
    paths.forEach((path, index) => copyFileSync(generatedPrices[index] ?? '', path));
    const parsed = readPrices(paths, false, true);
    expect(paths.map((path) => existsSync(columnPath(path)))).toEqual([true, true]);
    expect(readPrices(paths, false, true)).toEqual(parsed);
  });
});
