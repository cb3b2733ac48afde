/** Where the values are: in rows of numbers, one after the other in an array. */
export interface ValueRows {
  readonly rows: Float64Array;
  /** Numbers in a row. */
  readonly width: number;
  /** Place of the lowest value in a row. */
  readonly low: number;
  /** Place of the highest value in a row. */
  readonly high: number;
}

/** Rows of a block: a tree over single rows would take more memory than the rows of years. */
const blockRows = 64;

type Take = (low: number, high: number) => void;

/** The lowest and highest of any range of rows, each found without a scan of the range. */
export class RangeExtremes {
  /** Whole blocks. */
  private readonly blocks: number;
  /** A tree over the blocks, which are its second half. */
  private readonly low: Float64Array;
  private readonly high: Float64Array;

  constructor(private readonly of: ValueRows) {
    const blocks = Math.floor(of.rows.length / of.width / blockRows);
    this.blocks = blocks;
    this.low = new Float64Array(2 * blocks).fill(Infinity);
    this.high = new Float64Array(2 * blocks).fill(-Infinity);
    for (let block = 0; block < blocks; block++) {
      this.scan(block * blockRows, (block + 1) * blockRows, (low, high) => this.widen(blocks + block, low, high));
    }
    for (let node = 2 * blocks - 1; node > 1; node--) {
      this.widen(node >>> 1, this.low[node] ?? Infinity, this.high[node] ?? -Infinity);
    }
  }

  /** Of the rows from `first` to before `end`; infinite where there are none. */
  between(first: number, end: number): readonly [low: number, high: number] {
    let [low, high] = [Infinity, -Infinity];
    const take: Take = (otherLow, otherHigh) => {
      low = Math.min(low, otherLow);
      high = Math.max(high, otherHigh);
    };
    const firstBlock = Math.ceil(first / blockRows);
    const endBlock = Math.min(Math.floor(end / blockRows), this.blocks);
    if (firstBlock >= endBlock) this.scan(first, end, take);
    else {
      this.scan(first, firstBlock * blockRows, take);
      this.takeBlocks(firstBlock, endBlock, take);
      this.scan(endBlock * blockRows, end, take);
    }
    return [low, high];
  }

  private takeBlocks(first: number, end: number, take: Take): void {
    const takeNode = (node: number): void => take(this.low[node] ?? Infinity, this.high[node] ?? -Infinity);
    let [left, right] = [first + this.blocks, end + this.blocks];
    while (left < right) {
      if (left % 2 === 1) takeNode(left++);
      if (right % 2 === 1) takeNode(--right);
      left >>>= 1;
      right >>>= 1;
    }
  }

  private scan(first: number, end: number, take: Take): void {
    const { rows, width, low, high } = this.of;
    for (let at = first * width; at < end * width; at += width) {
      take(rows[at + low] ?? Infinity, rows[at + high] ?? -Infinity);
    }
  }

  private widen(node: number, low: number, high: number): void {
    this.low[node] = Math.min(this.low[node] ?? Infinity, low);
    this.high[node] = Math.max(this.high[node] ?? -Infinity, high);
  }
}
