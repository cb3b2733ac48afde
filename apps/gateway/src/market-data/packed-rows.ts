import type { BarColumns, Column, TickColumns } from '@libs/terminal-client';

type Kind = 'int64' | 'uint64' | 'int32' | 'uint32' | 'double';
type Layout<Name extends string> = readonly (readonly [Name, Kind])[];

/** The layouts of the MetaTrader5 package's arrays, so that a client has only to name the type of the row. */
const barLayout = [
  ['time', 'int64'],
  ['open', 'double'],
  ['high', 'double'],
  ['low', 'double'],
  ['close', 'double'],
  ['tick_volume', 'uint64'],
  ['spread', 'int32'],
  ['real_volume', 'uint64'],
] as const satisfies Layout<keyof BarColumns>;

const tickLayout = [
  ['time', 'int64'],
  ['bid', 'double'],
  ['ask', 'double'],
  ['last', 'double'],
  ['volume', 'uint64'],
  ['time_msc', 'int64'],
  ['flags', 'uint32'],
  ['volume_real', 'double'],
] as const satisfies Layout<keyof TickColumns>;

const sizes = { int64: 8, uint64: 8, double: 8, int32: 4, uint32: 4 } as const satisfies Record<Kind, number>;
const highWord = 2 ** 32;

/** A layout as text, for descriptions: `time int64, open double, ...`. */
const described = (layout: Layout<string>): string => layout.map(([name, kind]) => `${name} ${kind}`).join(', ');

const packedMeaning = (layout: Layout<string>): string =>
  `The rows alone, little-endian and without padding, ${rowSize(layout)} bytes each: ${described(layout)}. ` +
  "`time` is the broker server's clock in seconds. Complete if the body is.";

export const packedBarsMeaning = packedMeaning(barLayout);
export const packedTicksMeaning = packedMeaning(tickLayout);

/** The bars from `first` up to `end`. @throws RangeError for a value that its member cannot hold */
export function packBars(bars: BarColumns, first = 0, end = bars.time.length): Buffer {
  return pack(barLayout, bars, end - first, (index) => first + index);
}

/** The ticks at these rows. @throws RangeError for a value that its member cannot hold */
export function packTicks(ticks: TickColumns, rows: readonly number[]): Buffer {
  return pack(tickLayout, ticks, rows.length, (index) => rows[index] ?? 0);
}

function rowSize(layout: Layout<string>): number {
  return layout.reduce((sum, [, kind]) => sum + sizes[kind], 0);
}

/** Member by member: the loop over the rows then has one kind of write. */
function pack<Name extends string>(
  layout: Layout<Name>,
  columns: Readonly<Record<Name, Column>>,
  count: number,
  rowOf: (index: number) => number,
): Buffer {
  const size = rowSize(layout);
  const bytes = new ArrayBuffer(count * size);
  const view = new DataView(bytes);
  let place = 0;
  for (const [name, kind] of layout) {
    const column = columns[name];
    const write = writers[kind];
    for (let index = 0; index < count; index++) {
      const value = column[rowOf(index)];
      if (value === undefined || !Number.isFinite(value)) throw invalid(name, value);
      if (!write(view, index * size + place, value)) throw invalid(name, value);
    }
    place += sizes[kind];
  }
  return Buffer.from(bytes);
}

/** Each writes a number, or returns false if the member cannot hold it. */
const writers: Readonly<Record<Kind, (view: DataView, at: number, value: number) => boolean>> = {
  double: (view, at, value) => {
    view.setFloat64(at, value, true);
    return true;
  },
  int32: (view, at, value) => {
    view.setInt32(at, value, true);
    return value === (value | 0);
  },
  uint32: (view, at, value) => {
    view.setUint32(at, value, true);
    return value === value >>> 0;
  },
  int64: setWords,
  uint64: (view, at, value) => value >= 0 && setWords(view, at, value),
};

/** In two words of 32 bits, which takes a tenth of the time of a BigInt. */
function setWords(view: DataView, at: number, value: number): boolean {
  if (!Number.isSafeInteger(value)) return false;
  view.setInt32(at + 4, Math.floor(value / highWord), true);
  view.setUint32(at, value >>> 0, true);
  return true;
}

function invalid(name: string, value: number | undefined): RangeError {
  return new RangeError(`the terminal returned an invalid ${name}: ${value}`);
}
