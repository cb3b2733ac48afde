import type { Axis, AxisValue } from './axis';
import type { ParameterSet } from './condition';
import { byMetric, isIdle, metricOf, type MetricName } from './metric';
import type { SearchRow } from './search';

/** A set with the value of its metric: the mean over the windows of a walk-forward. */
export interface SetValue {
  readonly set: number;
  readonly params: ParameterSet;
  readonly value: number;
}

/** Score of a value of a parameter, over all sets that have it. */
export interface AxisPoint {
  readonly value: AxisValue;
  readonly sets: number;
  readonly mean: number;
  readonly best: number;
}

export interface HeatMap {
  readonly x: Axis;
  readonly y: Axis;
  /** By row (y) and column (x): the mean over the sets with both values; null without any. */
  readonly cells: readonly (readonly (number | null)[])[];
}

/** The values of the sets that traded and have one, by number of the set. */
export function setValues(rows: readonly SearchRow[], metric: MetricName, minTrades = 0): readonly SetValue[] {
  const bySet = new Map<number, { params: ParameterSet; values: number[] }>();
  for (const { set, params, result } of rows) {
    if (result === null || isIdle(result.figures)) continue;
    const value = metricOf(metric, result.figures, minTrades);
    if (value === null) continue;
    const known = bySet.get(set) ?? { params, values: [] };
    known.values.push(value);
    bySet.set(set, known);
  }
  return [...bySet]
    .map(([set, { params, values }]) => ({ set, params, value: mean(values) }))
    .sort((a, b) => a.set - b.set);
}

/** The mean over the sets one step away on one axis, by set: a set that is much better than these is a coincidence. */
export function neighbourMeans(axes: readonly Axis[], values: readonly SetValue[]): ReadonlyMap<number, number> {
  const places = new Map(values.map((entry) => [placeOf(axes, entry.params).join(), entry.value]));
  return new Map(
    values.flatMap(({ set, params }) => {
      const place = placeOf(axes, params);
      const near = place.flatMap((at, axis) => [at - 1, at + 1].map((step) => place.with(axis, step).join()));
      const found = near.flatMap((key) => places.get(key) ?? []);
      return found.length === 0 ? [] : [[set, mean(found)] as const];
    }),
  );
}

/** Mean and best of each value of each parameter. */
export function stability(
  axes: readonly Axis[],
  values: readonly SetValue[],
  metric: MetricName,
): readonly { readonly axis: Axis; readonly points: readonly AxisPoint[] }[] {
  return axes.map((axis) => ({
    axis,
    points: axis.values.flatMap((value) => {
      const own = values.filter(({ params }) => params[axis.name] === value).map((entry) => entry.value);
      const [best] = [...own].sort((a, b) => byMetric(metric, a, b));
      return best === undefined ? [] : [{ value, sets: own.length, mean: mean(own), best }];
    }),
  }));
}

/** A map for each pair of parameters with more than one value. */
export function heatMaps(axes: readonly Axis[], values: readonly SetValue[]): readonly HeatMap[] {
  const wide = axes.filter((axis) => axis.values.length > 1);
  return wide.flatMap((y, index) => wide.slice(index + 1).map((x) => heatMap(x, y, values)));
}

function heatMap(x: Axis, y: Axis, values: readonly SetValue[]): HeatMap {
  const byCell = new Map<string, number[]>();
  const keyOf = (row: AxisValue | undefined, column: AxisValue | undefined): string => JSON.stringify([row, column]);
  for (const { params, value } of values) {
    const key = keyOf(params[y.name], params[x.name]);
    byCell.set(key, [...(byCell.get(key) ?? []), value]);
  }
  const cells = y.values.map((row) =>
    x.values.map((column) => {
      const own = byCell.get(keyOf(row, column));
      return own ? mean(own) : null;
    }),
  );
  return { x, y, cells };
}

function placeOf(axes: readonly Axis[], params: ParameterSet): number[] {
  return axes.map(({ name, values }) => values.findIndex((value) => value === params[name]));
}

function mean(values: readonly number[]): number {
  return Number((values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(4));
}
