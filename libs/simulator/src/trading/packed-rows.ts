import { type Block, BlockList, rowsOfBlock } from './block-list';
import type { HistoryMemory } from './history-disk';

/** Reads the cells of one row. */
class Cells {
  numbers: Float64Array = new Float64Array(0);
  texts: readonly string[] = [];
  start = 0;

  number(index: number): number {
    return this.numbers[this.start + index] ?? Number.NaN;
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
 * A growing list of flat records. Numbers are kept as doubles in blocks, and equal texts once in a block: a record takes
 * eight bytes per field, about a third of an object, and the garbage collector has nothing to trace. A record of another
 * form, as in a file of an earlier version, is kept as an object.
 */
export class PackedRows<Row extends object> {
  private readonly blocks: BlockList<Row>;
  /** The places of the texts of the last block. */
  private readonly textNumbers = new Map<string, number>();
  private readonly cells = new Cells();
  private isText: readonly boolean[] | null = null;
  private count = 0;

  /** @param memory beyond it, the oldest blocks are on disk; null: all rows stay in memory */
  constructor(
    private readonly form: RowForm<Row>,
    memory: HistoryMemory | null = null,
  ) {
    this.blocks = new BlockList(memory);
  }

  get length(): number {
    return this.count;
  }

  push(row: Row): void {
    const { fields } = this.form;
    const place = this.count % rowsOfBlock;
    const block = place === 0 ? this.nextBlock() : this.blocks.last;
    if (!block) throw new RangeError(`no block for row ${this.count}`);
    this.isText ??= fields.map((field) => typeof row[field] === 'string');
    if (!this.write(row, block, place * fields.length, this.isText)) block.others.set(place, { ...row });
    this.count += 1;
  }

  /**
   * A new object with the values of a row.
   * @param index from 0 to less than {@link length}
   * @throws HistoryReadError
   */
  at(index: number): Row {
    const block = index < this.count ? this.blocks.at(Math.floor(index / rowsOfBlock)) : undefined;
    if (!block) throw new RangeError(`no row ${index}`);
    const place = index % rowsOfBlock;
    const other = block.others.size > 0 ? block.others.get(place) : undefined;
    if (other) return { ...other };
    this.cells.numbers = block.numbers;
    this.cells.texts = block.texts;
    this.cells.start = place * this.form.fields.length;
    return this.form.record(this.cells);
  }

  /** Gives up the rows on disk. */
  close(): void {
    this.blocks.close();
  }

  private nextBlock(): Block<Row> {
    const numbers = new Float64Array(rowsOfBlock * this.form.fields.length);
    const block: Block<Row> = { numbers, texts: [], others: new Map() };
    this.textNumbers.clear();
    this.blocks.add(block);
    return block;
  }

  /** False for a row with other fields, or with values of other types. */
  private write(row: Row, { numbers, texts }: Block<Row>, start: number, isText: readonly boolean[]): boolean {
    const { fields } = this.form;
    if (Object.keys(row).length !== fields.length) return false;
    let at = start;
    for (let index = 0; index < fields.length; index += 1) {
      const field = fields[index];
      const value = field === undefined ? undefined : row[field];
      if (typeof value === 'number' && isText[index] === false) numbers[at++] = value;
      else if (typeof value === 'string' && isText[index] === true) numbers[at++] = this.numberOf(value, texts);
      else return false;
    }
    return true;
  }

  private numberOf(text: string, texts: string[]): number {
    const known = this.textNumbers.get(text);
    if (known !== undefined) return known;
    this.textNumbers.set(text, texts.length);
    return texts.push(text) - 1;
  }
}
