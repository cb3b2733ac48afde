// Bound once: looking globals up is slow in the sandbox that tests run in.
const { max, min } = Math;
const COLUMNS = ['time', 'open', 'high', 'low', 'close', 'tickVolume', 'spread', 'askHigh', 'askLow'] as const;
type ColumnName = (typeof COLUMNS)[number];
type Columns = Record<ColumnName, Float64Array>;

/** One bar while it is being put together. */
export type BarRow = Record<ColumnName, number>;

/** Bars as growing columns. The unit of `time` is up to the owner. */
export class BarRows {
  count = 0;
  private readonly columns: Columns;
  private capacity: number;

  constructor(capacity = 16) {
    this.capacity = capacity;
    const column = (): Float64Array => new Float64Array(capacity);
    this.columns = {
      time: column(),
      open: column(),
      high: column(),
      low: column(),
      close: column(),
      tickVolume: column(),
      spread: column(),
      askHigh: column(),
      askLow: column(),
    };
  }

  get(name: ColumnName, at: number): number {
    return this.columns[name][at] ?? 0;
  }

  /**
   * Appends a bar of other rows under a time of its own, or folds it into the last one when that has the same time (or,
   * in a repeated hour, a later one).
   */
  add(from: BarRows, at: number, time: number): void {
    const last = this.count - 1;
    if (last >= 0 && (this.columns.time[last] ?? 0) >= time) {
      this.fold(last, from.columns, at);
      return;
    }
    if (this.count === this.capacity) this.grow();
    for (const name of COLUMNS) this.columns[name][this.count] = from.columns[name][at] ?? 0;
    this.columns.time[this.count] = time;
    this.count++;
  }

  /** Writes a bar at `at`, which may be just behind the last one. */
  set(at: number, row: BarRow): void {
    if (at === this.capacity) this.grow();
    for (const name of COLUMNS) this.columns[name][at] = row[name];
    this.count = max(this.count, at + 1);
  }

  row(at: number): BarRow {
    return {
      time: this.get('time', at),
      open: this.get('open', at),
      high: this.get('high', at),
      low: this.get('low', at),
      close: this.get('close', at),
      tickVolume: this.get('tickVolume', at),
      spread: this.get('spread', at),
      askHigh: this.get('askHigh', at),
      askLow: this.get('askLow', at),
    };
  }

  slice(name: ColumnName, from: number, to: number): Float64Array {
    return this.columns[name].slice(from, to);
  }

  private fold(at: number, from: Columns, source: number): void {
    const { high, low, close, tickVolume, spread, askHigh, askLow } = this.columns;
    high[at] = max(high[at] ?? 0, from.high[source] ?? 0);
    low[at] = min(low[at] ?? 0, from.low[source] ?? 0);
    close[at] = from.close[source] ?? 0;
    tickVolume[at] = (tickVolume[at] ?? 0) + (from.tickVolume[source] ?? 0);
    spread[at] = min(spread[at] ?? 0, from.spread[source] ?? 0);
    askHigh[at] = max(askHigh[at] ?? 0, from.askHigh[source] ?? 0);
    askLow[at] = min(askLow[at] ?? 0, from.askLow[source] ?? 0);
  }

  private grow(): void {
    this.capacity *= 2;
    for (const name of COLUMNS) {
      const wider = new Float64Array(this.capacity);
      wider.set(this.columns[name]);
      this.columns[name] = wider;
    }
  }
}
