import fc from 'fast-check';
import { Timeframe, type BarColumns } from '@libs/terminal-client';
import { BarPieces } from './bar-pieces';

const series = { symbol: 'EURUSD', timeframe: Timeframe.M1 };
const fields = ['open', 'high', 'low', 'close', 'tick_volume', 'spread', 'real_volume'] as const;
const start = 1_767_600_000;

function barsOf(values: readonly number[]): Record<keyof BarColumns, number[]> {
  const column = (shift: number) => values.map((value) => value + shift);
  const time = values.map((_, row) => start + row * 60);
  const [open, high, low, close] = [column(0), column(1), column(-1), column(0.5)];
  return { time, open, high, low, close, tick_volume: column(7), spread: column(2), real_volume: column(0) };
}

function rowsOf(bars: BarColumns): object[] {
  return Array.from(bars.time, (time, row) => ({
    time: `${new Date(time * 1_000).toISOString().slice(0, 19)}Z`,
    time_server: time,
    ...Object.fromEntries(fields.map((field) => [field, bars[field][row]])),
  }));
}

async function written(pieces: BarPieces, bars: BarColumns): Promise<unknown> {
  const opens = Float64Array.from(bars.time, (time) => time * 1_000);
  const buffers = await pieces.write(series, bars, { opens, zone: 'Z' });
  return JSON.parse(`[${Buffer.concat(buffers).toString().slice(1)}]`);
}

const price = fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((value) => value + 0);

describe('bars as pieces of JSON', () => {
  it('equal the columns, to the last bit of every number', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(price, { minLength: 1, maxLength: 700 }), async (values) => {
        const bars = barsOf(values);
        expect(await written(new BarPieces(), bars)).toEqual(rowsOf(bars));
      }),
      { numRuns: 30 },
    );
  });

  it('never reuse cached bytes if any value has changed', async () => {
    const pieces = new BarPieces();
    const bars = barsOf(Array.from({ length: 1_000 }, (_, row) => 1 + row / 1_000));
    await written(pieces, bars);
    const change = fc.record({ field: fc.constantFrom(...fields), row: fc.nat(999), value: price });
    await fc.assert(
      fc.asyncProperty(change, async ({ field, row, value }) => {
        bars[field][row] = value;
        expect(await written(pieces, bars)).toEqual(rowsOf(bars));
      }),
      { numRuns: 50 },
    );
  });

  it('are written again when the same times are of another zone', async () => {
    const pieces = new BarPieces();
    const bars = barsOf([1]);
    await written(pieces, bars);
    const opens = Float64Array.from(bars.time, (time) => time * 1_000);
    const text = Buffer.concat(await pieces.write(series, bars, { opens, zone: '' })).toString();
    expect(text).toContain('2026-01-05T08:00:00"');
    expect(text).not.toContain('Z"');
  });

  it('reject values that are not numbers', async () => {
    await expect(written(new BarPieces(), barsOf([Number.NaN]))).rejects.toThrow(RangeError);
  });
});
