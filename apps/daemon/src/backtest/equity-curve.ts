import { NumberRows, unpacked } from './number-rows';

/** Equity at the end of a minute of the market. */
export type EquityPoint = readonly [timeMs: number, equity: number];

const dayMs = 86_400_000;

/**
 * The equity by market time: a point for each minute with something open or changed. A stretch without change has a point
 * where it ends and one on each UTC day, so that every day with prices has a close.
 */
export class EquityCurve {
  private readonly points = new NumberRows(2);
  /** The newest minute without a point of its own. */
  private flat: EquityPoint | null = null;

  /**
   * Notes the equity at the end of a minute.
   * @param isOpen whether a position is open, so that its floating result changes with the prices
   */
  note(timeMs: number, equity: number, isOpen: boolean): void {
    const { flat, points } = this;
    const before = flat?.[1] ?? (points.count === 0 ? null : points.at(points.count - 1, 1));
    const isSame = !isOpen && before === equity;
    if (flat && (!isSame || dayOf(flat[0]) !== dayOf(timeMs))) points.push(flat[0], flat[1]);
    this.flat = isSame ? [timeMs, equity] : null;
    if (!isSame) points.push(timeMs, equity);
  }

  /** All points so far, up to the newest minute, as rows of time and equity. */
  packed(): Float64Array<ArrayBuffer> {
    const packed = this.points.packed();
    return this.flat ? joined(packed, this.flat) : packed;
  }

  /** The same as points. */
  get all(): readonly EquityPoint[] {
    return equityPoints(this.packed());
  }
}

/** The points of {@link EquityCurve.packed}. */
export function equityPoints(packed: Float64Array): readonly EquityPoint[] {
  return unpacked(packed, 2, (first): EquityPoint => [packed[first] ?? 0, packed[first + 1] ?? 0]);
}

function joined(packed: Float64Array, last: EquityPoint): Float64Array<ArrayBuffer> {
  const all = new Float64Array(packed.length + 2);
  all.set(packed);
  all.set(last, packed.length);
  return all;
}

function dayOf(timeMs: number): number {
  return Math.floor(timeMs / dayMs);
}
