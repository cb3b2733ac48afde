import { barRowsOf, barWidth, type Bars } from './bar-rows';
import { columnsOfRows, extended, type CurveColumns } from './curve';
import { drawdowns } from './drawdown';
import { performanceOf, type Performance } from './performance';

/** Place of the close in a row of a bar. */
const closeAt = 4;

interface Held extends Performance {
  readonly returnPct: number;
  readonly maxDrawdownPct: number;
}

/** What the capital would have come to in the symbol: bought at the first open and held to the last close, without leverage. */
export interface Benchmark extends Held {
  readonly symbol: string;
}

/**
 * What the capital would have come to in several symbols, without leverage: an equal part of it in each, bought at the first
 * open of that symbol and held to its last close. The parts are not balanced again.
 */
export interface BasketBenchmark extends Held {
  /** Return of each part in percent of that part, by symbol. */
  readonly symbols: Readonly<Record<string, number>>;
}

/** The bid bars of a symbol. */
export interface HeldBars {
  readonly symbol: string;
  readonly bars: Bars;
}

/**
 * Buy and hold over the bid bars of a run, without costs.
 * @returns null without bars
 */
export function buyAndHold(prices: Bars, symbol: string): Benchmark | null {
  const held = heldOf(heldCurve(prices, 1));
  return held && { symbol, ...held };
}

/**
 * Buy and hold of equal parts over the bid bars of a run, without costs.
 * @param all the bars of each symbol; a symbol without bars has no part
 * @returns null without bars
 */
export function buyAndHoldEqually(all: readonly HeldBars[]): BasketBenchmark | null {
  const traded = all.filter(({ bars }) => bars.length > 0);
  const curves = traded.map(({ bars }) => heldCurve(bars, 1 / traded.length));
  const held = heldOf(added(curves, 1 / traded.length));
  const parts = traded.map(({ symbol }, at) => [symbol, returnPct((curves[at]?.values.at(-1) ?? 0) * traded.length)]);
  return held && { symbols: Object.fromEntries(parts) as BasketBenchmark['symbols'], ...held };
}

/** The symbols that are held, for people. */
export function heldText(benchmark: Benchmark | BasketBenchmark): string {
  if ('symbol' in benchmark) return benchmark.symbol;
  const symbols = Object.keys(benchmark.symbols);
  return symbols.length > 1 ? `${symbols.join(', ')} in equal parts` : symbols.join('');
}

/** The figures of a curve that begins at 1; null for an empty one. */
function heldOf(curve: CurveColumns): Held | null {
  const last = curve.values.at(-1);
  if (last === undefined) return null;
  const drawdown = drawdowns(curve);
  return {
    returnPct: returnPct(last),
    maxDrawdownPct: drawdown.maxDrawdownPct,
    ...performanceOf(curve, drawdown),
  };
}

function returnPct(growth: number): number {
  return Number(((growth - 1) * 100).toFixed(4));
}

/** The sum of curves at each of their times. @param start value of each curve before its first point */
function added(curves: readonly CurveColumns[], start: number): CurveColumns {
  const most = curves.reduce((total, { times }) => total + times.length, 0);
  const [times, values] = [new Float64Array(most + 1), new Float64Array(most + 1)];
  const next = curves.map(() => 0);
  const present = curves.map(() => start);
  const timeOf = ({ times: own }: CurveColumns, at: number): number => own[next[at] ?? 0] ?? Infinity;
  let count = 0;
  for (let timeMs = Math.min(...curves.map(timeOf)); timeMs < Infinity; timeMs = Math.min(...curves.map(timeOf))) {
    if (count === 0) [times[0], values[count++]] = [timeMs, 1];
    curves.forEach((curve, at) => {
      for (; timeOf(curve, at) === timeMs; next[at] = (next[at] ?? 0) + 1) {
        present[at] = curve.values[next[at] ?? 0] ?? start;
      }
    });
    times[count] = timeMs;
    values[count++] = present.reduce((total, value) => total + value, 0);
  }
  return { times: times.subarray(0, count), values: values.subarray(0, count) };
}

/** The equity of a capital that is held in the symbol: at the first open, and the close of each bar at its open. */
export function heldCurve(prices: Bars, capital: number): CurveColumns {
  const rows = barRowsOf(prices);
  const { times, values } = columnsOfRows(rows, barWidth, closeAt);
  const [startMs, open] = rows;
  if (startMs === undefined || open === undefined) return { times, values };
  const held = values.map((close) => (capital * close) / open);
  return extended({ times, values: held }, [startMs, capital]);
}
