/** Rows of integers as their differences, one after another: small as text, because most differences are. */
export function packedRows(rows: readonly (readonly number[])[]): readonly number[] {
  return rows.flatMap((row, index) => row.map((value, column) => value - (rows[index - 1]?.[column] ?? 0)));
}

/** The rows of {@link packedRows}. @param width numbers in a row */
export function unpackedRows(packed: readonly number[], width: number): readonly (readonly number[])[] {
  const last = new Array<number>(width).fill(0);
  return Array.from({ length: packed.length / width }, (_, row) =>
    last.map((value, column) => (last[column] = value + (packed[row * width + column] ?? 0))),
  );
}

/** A bar whose prices are close to each other, as differences within the bar: open, high, low, close in points. */
export function innerBar([open, high, low, close]: readonly [number, number, number, number]): readonly number[] {
  return [close, open - close, high - Math.max(open, close), Math.min(open, close) - low];
}

/** The bar of {@link innerBar}. */
export function outerBar([close = 0, toOpen = 0, above = 0, below = 0]: readonly number[]): readonly [
  number,
  number,
  number,
  number,
] {
  const open = close + toOpen;
  return [open, Math.max(open, close) + above, Math.min(open, close) - below, close];
}
