/** Rows in one block of numbers. */
const rowsOfBlock = 256;

/** Reads the cells of one row. */
export class Cells {
  block: Float64Array = new Float64Array(0);
  start = 0;

  constructor(private readonly texts: readonly string[]) {}

  number(index: number): number {
    return this.block[this.start + index] ?? Number.NaN;
  }

  text(index: number): string {
    return this.texts[this.number(index)] ?? '';
  }
}

/** How a flat record is kept as cells. */
export interface RowForm<Row> {
  /** Its fields, each of which is a number or a text. */
  readonly fields: readonly (keyof Row & string)[];
  /** The record of some cells, in the order of `fields`. A literal, because setting fields by name takes ten times as long. */
  readonly record: (cells: Cells) => Row;
}

/**
 * A growing list of flat records. Numbers are kept as doubles in blocks, and equal texts once: a record takes eight bytes per field,
 * about a third of an object, and the garbage collector has nothing to trace. A record of another form, as in a file of an earlier
 * version, is kept as an object.
 */
export class PackedRows<Row extends object> {
  private readonly blocks: Float64Array[] = [];
  private readonly others = new Map<number, Row>();
  private readonly texts: string[] = [];
  private readonly textNumbers = new Map<string, number>();
  private readonly cells = new Cells(this.texts);
  private isText: readonly boolean[] | null = null;
  private count = 0;

  constructor(private readonly form: RowForm<Row>) {}

  get length(): number {
    return this.count;
  }

  push(row: Row): void {
    const index = this.count++;
    const { fields } = this.form;
    const place = index % rowsOfBlock;
    if (place === 0) this.blocks.push(new Float64Array(rowsOfBlock * fields.length));
    this.isText ??= fields.map((field) => typeof row[field] === 'string');
    if (!this.write(row, place * fields.length, this.isText)) this.others.set(index, { ...row });
  }

  /** A new object with the values of a row. @param index from 0 to less than {@link length} */
  at(index: number): Row {
    const other = this.others.get(index);
    if (other) return { ...other };
    const block = this.blocks[Math.floor(index / rowsOfBlock)];
    if (!block || index >= this.count) throw new RangeError(`no row ${index}`);
    this.cells.block = block;
    this.cells.start = (index % rowsOfBlock) * this.form.fields.length;
    return this.form.record(this.cells);
  }

  /** False for a row with other fields, or with values of other types. */
  private write(row: Row, start: number, isText: readonly boolean[]): boolean {
    const { fields } = this.form;
    const block = this.blocks.at(-1);
    if (!block || Object.keys(row).length !== fields.length) return false;
    let at = start;
    for (let index = 0; index < fields.length; index += 1) {
      const field = fields[index];
      const value = field === undefined ? undefined : row[field];
      if (typeof value === 'number' && isText[index] === false) block[at++] = value;
      else if (typeof value === 'string' && isText[index] === true) block[at++] = this.numberOf(value);
      else return false;
    }
    return true;
  }

  private numberOf(text: string): number {
    const known = this.textNumbers.get(text);
    if (known !== undefined) return known;
    this.textNumbers.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }
}
