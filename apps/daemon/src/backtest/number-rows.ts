/** Rows of numbers of one width in one typed array, so that the garbage collector does not visit each of millions of rows. */
export class NumberRows {
  private values: Float64Array<ArrayBuffer>;
  private used = 0;

  /** @param width numbers in a row */
  constructor(private readonly width: number) {
    this.values = new Float64Array(width * 64);
  }

  get count(): number {
    return this.used / this.width;
  }

  /** Adds a row. */
  push(...row: readonly number[]): void {
    if (this.used === this.values.length) {
      const wider = new Float64Array(this.values.length * 2);
      wider.set(this.values);
      this.values = wider;
    }
    for (const value of row) this.values[this.used++] = value;
  }

  /** A number of a row; 0 beyond the last. */
  at(row: number, column: number): number {
    return this.values[row * this.width + column] ?? 0;
  }

  /** All rows so far, one after the other, in the memory where they are: a copy of years of bars is large. */
  packed(): Float64Array<ArrayBuffer> {
    return this.values.subarray(0, this.used);
  }
}

/**
 * The rows of {@link NumberRows.packed}, made by a function.
 * @param rowOf the row of the numbers from an index on
 */
export function unpacked<Row>(values: Float64Array, width: number, rowOf: (first: number) => Row): Row[] {
  const rows = new Array<Row>(values.length / width);
  for (let row = 0; row < rows.length; row++) rows[row] = rowOf(row * width);
  return rows;
}
