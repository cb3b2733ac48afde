/** Parts each doubling of the value is divided into: a value is told to 1/64, less than 1.6 %. */
const partBits = 6;
const parts = 2 ** partBits;
/** Values up to here are told exactly. */
const exact = 2 * parts;
/** An hour in nanoseconds; more counts as this. */
const highest = 3_600_000_000_000;
const buckets = bucketOf(highest) + 1;

/**
 * Counts values, to be asked for percentiles, in constant memory and time. What it tells is at least the true value and at most 1/64 above it; the maximum is exact.
 */
export class Histogram {
  count = 0;
  max = 0;
  private readonly counts = new Uint32Array(buckets);
  /** Counts of a doubling's buckets together, so that those below a percentile are not gone through one by one. */
  private readonly groups = new Uint32Array(Math.ceil(buckets / parts));

  /** @param value what is not between 1 and an hour of nanoseconds counts as the nearer end */
  record(value: number): void {
    const whole = Math.min(highest, Math.max(1, Math.round(value)));
    const bucket = bucketOf(whole);
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.count++;
    if (whole > this.max) this.max = whole;
    const group = Math.floor(bucket / parts);
    this.groups[group] = (this.groups[group] ?? 0) + 1;
  }

  /**
   * The values at or below which the given shares of all values lie, each share 0 to 1; zeros while there are none.
   */
  percentiles(shares: readonly number[]): number[] {
    return shares.map((share) => (this.count === 0 ? 0 : Math.min(this.max, topOf(this.bucketAt(share)))));
  }

  private bucketAt(share: number): number {
    let left = Math.max(1, Math.ceil(share * this.count));
    let group = 0;
    for (let held = this.groups[0] ?? 0; held < left; held = this.groups[++group] ?? left) left -= held;
    let bucket = group * parts;
    for (let held = this.counts[bucket] ?? 0; held < left; held = this.counts[++bucket] ?? left) left -= held;
    return bucket;
  }
}

/** Values below `exact` have a bucket each; above, each doubling has `parts` of them. */
function bucketOf(value: number): number {
  if (value < exact) return value;
  const doublings = Math.floor(Math.log2(value)) - partBits;
  // The logarithm of a number just below a power of two may round up to it.
  const shift = value < 2 ** (doublings + partBits) ? doublings - 1 : doublings;
  return shift * parts + Math.floor(value / 2 ** shift);
}

/** The highest whole value of a bucket. */
function topOf(bucket: number): number {
  if (bucket < exact) return bucket;
  const shift = Math.floor(bucket / parts) - 1;
  return (bucket - shift * parts + 1) * 2 ** shift - 1;
}
