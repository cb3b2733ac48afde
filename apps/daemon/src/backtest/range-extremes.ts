/** The lowest and highest of any range of values, each found without a scan of the range. */
export class RangeExtremes {
  private readonly size: number;
  private readonly low: Float64Array;
  private readonly high: Float64Array;

  /** @param lows the lowest value at each index, @param highs the highest */
  constructor(lows: Float64Array, highs: Float64Array) {
    const count = lows.length;
    this.size = count;
    this.low = new Float64Array(2 * count);
    this.high = new Float64Array(2 * count);
    this.low.set(lows, count);
    this.high.set(highs, count);
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
