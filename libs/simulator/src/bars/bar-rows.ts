// Bound once: looking globals up is slow in the sandbox that tests run in.
const { max, min } = Math;
const COLUMNS = ['time', 'open', 'high', 'low', 'close', 'tickVolume', 'spread', 'askHigh', 'askLow'] as const;
type ColumnName = (typeof COLUMNS)[number];

/** One bar while it is being put together. */
export type BarRow = Record<ColumnName, number>;

/** Bars as growing columns. The unit of `time` is up to the owner. */
export class BarRows {
  count = 0;
  private readonly columns: Record<ColumnName, Float64Array>;
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

  /** Appends a bar, or folds it into the last one when that has the same time or (in a repeated hour) a later one. */
  add(row: BarRow): void {
    const last = this.count - 1;
    if (last >= 0 && (this.columns.time[last] ?? 0) >= row.time) this.fold(last, row);
    else this.set(this.count, row);
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

  private fold(at: number, row: BarRow): void {
    const { high, low, close, tickVolume, spread, askHigh, askLow } = this.columns;
    high[at] = max(high[at] ?? 0, row.high);
    low[at] = min(low[at] ?? 0, row.low);
    close[at] = row.close;
    tickVolume[at] = (tickVolume[at] ?? 0) + row.tickVolume;
    spread[at] = min(spread[at] ?? 0, row.spread);
    askHigh[at] = max(askHigh[at] ?? 0, row.askHigh);
    askLow[at] = min(askLow[at] ?? 0, row.askLow);
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
