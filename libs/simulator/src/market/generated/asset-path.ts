import type { AssetSpec } from '../../symbols/assets';
import { hash32, hashText, Random } from './random';

// Bound once: looking globals up is slow in the sandbox that tests run in.
const { exp, floor, log } = Math;

const DAY_MINUTES = 1_440;
/** The first day with prices: 1 January 2000. */
export const FIRST_DAY = 10_957;
/** How strongly a day pulls the value back to its long-term level: years of prices stay in a believable range. */
const REVERSION = 0.003;
const DAILY_VOLATILITY_MEMORY = 0.94;
const MINUTE_VOLATILITY_MEMORY = 0.985;
const KEPT_DAYS = 6;

/** Activity of each UTC hour: Asia, the London open, the overlap with New York, the quiet of the rollover. */
const hourActivity = [
  0.62, 0.66, 0.62, 0.55, 0.5, 0.58, 0.85, 1.25, 1.4, 1.25, 1.1, 1.05, 1.35, 1.6, 1.65, 1.5, 1.2, 0.95, 0.8, 0.72, 0.62,
  0.42, 0.45, 0.55,
] as const;

/** How much of its usual volatility an asset keeps from Friday's close to Sunday's open, at 22:00 UTC or near it. */
const WEEKEND = 0.15;
const CLOSE_MINUTE = 22 * 60;
/** The same over whole days, from Sunday on: the root of the mean of the minutes' squares. */
const dayFactors = [0.32, 1, 1, 1, 1, 0.96, WEEKEND] as const;

/** Relative activity of a minute of the UTC day, 1 on average. */
export function activityOf(minuteOfDay: number): number {
  return hourActivity[floor(minuteOfDay / 60)] ?? 1;
}

/** Logarithmic values of one asset over a UTC day: at the minutes' ends, and each minute's own volatility. */
export interface AssetDay {
  readonly values: Float64Array;
  readonly sigmas: Float64Array;
}

/**
 * The value of one asset as a function of seed and time alone. Days form a mean-reverting walk whose volatility has a
 * memory; within a day the minutes are a bridge between its ends, so that any day can be made without the ones before.
 */
export class AssetPath {
  private readonly levels: number[] = [];
  private readonly volatilities: number[] = [];
  private readonly days = new Map<number, AssetDay>();
  private readonly walk: Random;
  private volatilityState = 0;
  /** The asset among the parts of a hash. */
  readonly key: number;
  private readonly mean: number;

  constructor(
    private readonly seed: number,
    name: string,
    private readonly spec: AssetSpec,
    private readonly restsAtWeekends: boolean,
  ) {
    this.key = hashText(name);
    this.mean = log(spec.value);
    this.walk = new Random(hash32(seed, this.key, 1));
    this.levels.push(this.mean);
  }

  day(day: number): AssetDay {
    const known = this.days.get(day);
    if (known) return known;
    const made = this.makeDay(day);
    if (this.days.size >= KEPT_DAYS) {
      for (const oldest of this.days.keys()) {
        this.days.delete(oldest);
        break;
      }
    }
    this.days.set(day, made);
    return made;
  }

  private makeDay(day: number): AssetDay {
    const index = day - FIRST_DAY;
    this.extendTo(index + 1);
    const start = this.levels[index] ?? this.mean;
    const change = (this.levels[index + 1] ?? start) - start;
    const daily = this.volatilities[index] ?? 0;
    const random = new Random(hash32(this.seed, this.key, 2, day));
    const steps = new Float64Array(DAY_MINUTES);
    const sigmas = new Float64Array(DAY_MINUTES);
    const weekday = weekdayOf(day);
    let heat = 0.4 * random.gaussian();
    let variance = 0;
    let walked = 0;
    for (let minute = 0; minute < DAY_MINUTES; minute++) {
      heat = MINUTE_VOLATILITY_MEMORY * heat + 0.085 * random.gaussian();
      const burst = random.next() < 0.0008 ? 4 : 1;
      const rest = this.restsAtWeekends && isWeekend(weekday, minute) ? WEEKEND : 1;
      const sigma = (daily * activityOf(minute) * exp(heat) * burst * rest) / 38;
      const step = sigma * random.gaussian();
      sigmas[minute] = sigma;
      steps[minute] = step;
      variance += sigma * sigma;
      walked += step;
    }
    return { values: bridge(start, change - walked, steps, sigmas, variance), sigmas };
  }

  private extendTo(index: number): void {
    while (this.levels.length <= index) {
      const level = this.levels[this.levels.length - 1] ?? this.mean;
      this.volatilityState = DAILY_VOLATILITY_MEMORY * this.volatilityState + 0.14 * this.walk.gaussian();
      const volatility = this.spec.dailyVolatility * exp(this.volatilityState);
      this.volatilities.push(volatility);
      const rest = this.restsAtWeekends ? (dayFactors[weekdayOf(FIRST_DAY + this.levels.length - 1)] ?? 1) : 1;
      this.levels.push(level + REVERSION * (this.mean - level) + volatility * rest * this.walk.gaussian());
    }
  }
}

/** 0 is Sunday; the epoch was a Thursday. */
function weekdayOf(day: number): number {
  return (day + 4) % 7;
}

function isWeekend(weekday: number, minute: number): boolean {
  if (weekday === 5) return minute >= CLOSE_MINUTE;
  return weekday === 6 || (weekday === 0 && minute < CLOSE_MINUTE);
}

/** Lays the rest of the day's change over its minutes by their share of the variance. */
function bridge(
  start: number,
  rest: number,
  steps: Float64Array,
  sigmas: Float64Array,
  variance: number,
): Float64Array {
  const values = new Float64Array(steps.length + 1);
  values[0] = start;
  let value = start;
  for (let minute = 0; minute < steps.length; minute++) {
    const sigma = sigmas[minute] ?? 0;
    value += (steps[minute] ?? 0) + (variance === 0 ? 0 : (rest * sigma * sigma) / variance);
    values[minute + 1] = value;
  }
  return values;
}
