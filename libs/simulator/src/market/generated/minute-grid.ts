import { activityOf, type AssetPath } from './asset-path';
import { hash32, Random } from './random';

// Bound once: looking globals up is slow in the sandbox that tests run in.
const { floor, max, round, sqrt } = Math;

const DAY_MINUTES = 1_440;
const MINUTE_MS = 60_000;
/** Quotes a minute at activity 1. */
const USUAL_QUOTES = 20;

/** The instants of one minute at which prices change, and the assets' values at them. */
export class MinuteGrid {
  private minute = -1;
  private times = new Float64Array(0);
  private readonly values = new Map<AssetPath, { minute: number; values: Float64Array }>();

  constructor(private readonly seed: number) {}

  /** UTC milliseconds, ascending; the same for every symbol. */
  timesOf(minute: number): Float64Array {
    if (minute !== this.minute) {
      const random = new Random(hash32(this.seed, 3, minute));
      const usual = USUAL_QUOTES * activityOf(minute % DAY_MINUTES);
      const count = max(2, round(usual * (0.6 + 0.8 * random.next())));
      const width = MINUTE_MS / count;
      this.times = new Float64Array(count);
      for (let at = 0; at < count; at++) {
        this.times[at] = minute * MINUTE_MS + floor((at + random.next()) * width);
      }
      this.minute = minute;
    }
    return this.times;
  }

  /** The asset's logarithmic values at the instants of {@link timesOf}: a bridge from the minute's start to its end. */
  valuesOf(path: AssetPath, minute: number): Float64Array {
    const known = this.values.get(path);
    if (known?.minute === minute) return known.values;
    const count = this.timesOf(minute).length;
    const values = known && known.values.length >= count ? known.values : new Float64Array(max(count, 32));
    this.fill(path, minute, count, values);
    this.values.set(path, { minute, values });
    return values;
  }

  private fill(path: AssetPath, minute: number, count: number, values: Float64Array): void {
    const day = path.day(floor(minute / DAY_MINUTES));
    const at = minute % DAY_MINUTES;
    let value = day.values[at] ?? 0;
    const end = day.values[at + 1] ?? value;
    const sigma = (day.sigmas[at] ?? 0) / sqrt(count);
    if (sigma === 0 && end === value) {
      values.fill(value, 0, count);
      return;
    }
    const random = new Random(hash32(this.seed, 4, path.key, minute));
    for (let step = 0; step < count; step++) {
      const left = count - step;
      value += (end - value) / left + (left > 1 ? sigma * random.roughGaussian() : 0);
      values[step] = value;
    }
  }
}
