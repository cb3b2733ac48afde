import type { CurveColumns, EquityPoint } from './curve';
import { unpacked } from './number-rows';

export type { EquityPoint } from './curve';

const dayMs = 86_400_000;

/**
 * The equity by market time: a point for each minute with something open or changed. A stretch without change has a point
 * where it ends and one on each UTC day, so that every day with prices has a close.
 */
export class EquityCurve {
  private times: Float64Array;
  private values: Float64Array;
  private count = 0;
  /** Points before those that are noted. */
  private readonly before: number;
  /** Whether there is a newest minute without a point of its own, and when it is. Its equity is that of the newest point. */
  private isFlat = false;
  private flatMs = 0;
  private flatDayEndMs = 0;

  /**
   * @param memory to begin with: it is overwritten
   * @param first a point before those that are noted
   */
  constructor(memory: CurveColumns | null = null, first: EquityPoint | null = null) {
    this.times = memory?.times ?? new Float64Array(64);
    this.values = memory?.values ?? new Float64Array(64);
    this.before = first === null ? 0 : 1;
    if (first !== null) this.push(first[0], first[1]);
  }

  /**
   * Notes the equity at the end of a minute.
   * @param isOpen whether a position is open, so that its floating result changes with the prices
   */
  note(timeMs: number, equity: number, isOpen: boolean): void {
    const { count } = this;
    const isSame = !isOpen && count > this.before && this.values[count - 1] === equity;
    if (this.isFlat && (!isSame || timeMs >= this.flatDayEndMs)) this.push(this.flatMs, this.values[count - 1] ?? 0);
    if (!isSame) this.push(timeMs, equity);
    else if (!this.isFlat || timeMs >= this.flatDayEndMs) this.flatDayEndMs = (Math.floor(timeMs / dayMs) + 1) * dayMs;
    this.isFlat = isSame;
    this.flatMs = timeMs;
  }

  /** All points so far, up to the newest minute, and one after them. They are valid until the next is noted. */
  columns(last: EquityPoint): CurveColumns {
    const { count, isFlat } = this;
    if (isFlat) this.push(this.flatMs, this.values[count - 1] ?? 0);
    this.push(last[0], last[1]);
    const points = this.count;
    this.count = count;
    return { times: this.times.subarray(0, points), values: this.values.subarray(0, points) };
  }

  /** The points that were noted so far, up to the newest minute, as rows of time and equity. */
  packed(): Float64Array<ArrayBuffer> {
    const { before, count, isFlat, times, values } = this;
    const rows = new Float64Array(2 * (count - before + (isFlat ? 1 : 0)));
    for (let at = before; at < count; at++) {
      rows[2 * (at - before)] = times[at] ?? 0;
      rows[2 * (at - before) + 1] = values[at] ?? 0;
    }
    if (isFlat) rows.set([this.flatMs, values[count - 1] ?? 0], rows.length - 2);
    return rows;
  }

  /** The same as points. */
  get all(): readonly EquityPoint[] {
    return equityPoints(this.packed());
  }

  private push(timeMs: number, equity: number): void {
    if (this.count === this.times.length) {
      this.times = widened(this.times);
      this.values = widened(this.values);
    }
    this.times[this.count] = timeMs;
    this.values[this.count++] = equity;
  }
}

/** The points of {@link EquityCurve.packed}. */
export function equityPoints(packed: Float64Array): readonly EquityPoint[] {
  return unpacked(packed, 2, (first): EquityPoint => [packed[first] ?? 0, packed[first + 1] ?? 0]);
}

function widened(values: Float64Array): Float64Array {
  const wider = new Float64Array(Math.max(64, values.length * 2));
  wider.set(values);
  return wider;
}
