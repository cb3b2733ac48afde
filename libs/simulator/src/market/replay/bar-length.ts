import {
  Timeframe,
  timeframeNames,
  timeframeOf,
  timeframeSeconds,
  type TimeframeName,
} from '@libs/terminal-client/timeframes';
import { RecordingError } from './recording-error';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const [shortestMonthMs, longestMonthMs] = [28 * dayMs, 31 * dayMs];
/** Of the distances between bars, so many are whole bars: the others lie at a change of the clock. */
const leastWhole = 0.9;
/** Fewer bars than this may be minutes with gaps between them. */
const leastRows = 11;
const stated = new RegExp(`(?:^|[^a-z0-9])(${[...timeframeNames].reverse().join('|')})(?=[^a-z0-9]|$)`, 'i');

/** The length of the bars of a file, as its name states it, such as `eurusd-h1-bid.csv`; null if it does not. */
export function statedLength(file: string): Timeframe | null {
  return timeframeOf(stated.exec(file)?.[1] ?? '');
}

/**
 * The length of the bars of a file: as its name states, such as `eurusd-h1-bid.csv`, or as its rows show.
 * @param times opens of bars, ascending, in UTC milliseconds
 * @returns null for a single bar in a file whose name does not state it
 * @throws RecordingError where name and rows contradict each other, or the bars have the length of no timeframe
 */
export function barLength(file: string, times: Float64Array): Timeframe | null {
  const named = statedLength(file);
  if (times.length < 2) return named;
  const distances = distancesOf(times);
  const leastMs = distances.reduce((least, distance) => Math.min(least, distance), Infinity);
  const found = lengthOf(distances, leastMs);
  if (named !== null) {
    const isTooClose = leastMs < shortestMs(named);
    const isTooFar = found !== null && found > named && times.length >= leastRows;
    if (!isTooClose && !isTooFar) return named;
    throw new RecordingError(
      `${file}: its name states bars of ${timeframeName(named)}, but they are ${apart(leastMs)} apart: rename it`,
    );
  }
  if (found !== null) return found;
  if (times.length < leastRows) return Timeframe.M1;
  throw new RecordingError(
    `${file}: its bars are ${apart(leastMs)} apart, which is the length of no timeframe: ${timeframeNames.join(', ')}`,
  );
}

/** Whether bars of one timeframe can be made of those of another. */
export function isMadeOf(timeframe: Timeframe, part: Timeframe): boolean {
  if (timeframe === part) return true;
  // Weeks are in two months.
  if (timeframe === Timeframe.MN1) return part <= Timeframe.D1;
  const [whole, of] = [timeframeSeconds(timeframe), timeframeSeconds(part)];
  return whole !== null && of !== null && whole > of && whole % of === 0;
}

/** The name of a timeframe: `H1`. */
export function timeframeName(timeframe: Timeframe): TimeframeName {
  return timeframeNames.find((name) => Timeframe[name] === timeframe) ?? 'M1';
}

function distancesOf(times: Float64Array): Float64Array {
  return times.subarray(1).map((time, before) => time - (times[before] ?? 0));
}

function lengthOf(distances: Float64Array, leastMs: number): Timeframe | null {
  if (leastMs <= minuteMs) return Timeframe.M1;
  const fitting = timeframeNames.map((name) => Timeframe[name]).filter((one) => fits(one, distances, leastMs));
  return fitting.at(-1) ?? ofMinutes(distances.reduce(divisor, 0) / minuteMs);
}

function fits(timeframe: Timeframe, distances: Float64Array, leastMs: number): boolean {
  if (leastMs < shortestMs(timeframe) || leastMs > longestMs(timeframe)) return false;
  const lengthMs = (timeframeSeconds(timeframe) ?? 0) * 1_000;
  const isWhole = (distance: number): boolean =>
    lengthMs === 0 ? distance <= longestMs(timeframe) : distance % lengthMs === 0;
  return distances.filter(isWhole).length >= leastWhole * distances.length;
}

/** A bar longer than an hour is an hour shorter or longer where its clock changes. */
function shortestMs(timeframe: Timeframe): number {
  const seconds = timeframeSeconds(timeframe);
  if (seconds === null) return shortestMonthMs - hourMs;
  return timeframe > Timeframe.H1 ? seconds * 1_000 - hourMs : seconds * 1_000;
}

function longestMs(timeframe: Timeframe): number {
  const seconds = timeframeSeconds(timeframe);
  if (seconds === null) return longestMonthMs + hourMs;
  return timeframe > Timeframe.H1 ? seconds * 1_000 + hourMs : seconds * 1_000;
}

function divisor(a: number, b: number): number {
  let [larger, smaller] = [a, b];
  while (smaller > 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

function ofMinutes(minutes: number): Timeframe | null {
  const name = timeframeNames.find((one) => timeframeSeconds(Timeframe[one]) === minutes * 60);
  return name === undefined ? null : Timeframe[name];
}

function apart(ms: number): string {
  const units = [
    ['day', dayMs],
    ['hour', hourMs],
    ['minute', minuteMs],
    ['second', 1_000],
  ] as const;
  const [unit, length] = units.find(([, unitMs]) => ms % unitMs === 0) ?? ['second', 1_000];
  const count = ms / length;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
