/** The lowest and highest of any range of values, each found without a scan of the range. */
export class RangeExtremes {
  private readonly size: number;
  private readonly low: Float64Array;
  private readonly high: Float64Array;

  /** @param rowOf the lowest and the highest value at an index, 0 to `count` − 1 */
  constructor(count: number, rowOf: (index: number) => readonly [low: number, high: number]) {
    this.size = count;
    this.low = new Float64Array(2 * count).fill(Infinity);
    this.high = new Float64Array(2 * count).fill(-Infinity);
    for (let index = 0; index < count; index++) {
      [this.low[count + index], this.high[count + index]] = rowOf(index);
    }
    for (let node = count - 1; node > 0; node--) {
      this.low[node] = Math.min(this.low[2 * node] ?? Infinity, this.low[2 * node + 1] ?? Infinity);
      this.high[node] = Math.max(this.high[2 * node] ?? -Infinity, this.high[2 * node + 1] ?? -Infinity);
    }
  }

  /** Of the indexes from `first` to before `end`; infinite where there are none. */
  between(first: number, end: number): readonly [low: number, high: number] {
    let [low, high] = [Infinity, -Infinity];
    const take = (node: number): void => {
      low = Math.min(low, this.low[node] ?? Infinity);
      high = Math.max(high, this.high[node] ?? -Infinity);
    };
    let [left, right] = [first + this.size, end + this.size];
    while (left < right) {
      if (left % 2 === 1) take(left++);
      if (right % 2 === 1) take(--right);
      left = Math.floor(left / 2);
      right = Math.floor(right / 2);
    }
    return [low, high];
  }
}
