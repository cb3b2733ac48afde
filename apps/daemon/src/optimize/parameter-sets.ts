import { seeded } from '../backtest/seeded';
import type { Axis } from './axis';
import type { Condition, ParameterSet } from './condition';

/** A set with its number: its place in the full grid, so that it is the same in every search over these axes. */
export interface NumberedSet {
  readonly set: number;
  readonly params: ParameterSet;
}

/** Sets of a full grid that are counted out one by one; more are only drawn from. */
export const mostSets = 1_000_000;

/** How many sets a full grid has, conditions left out. */
export function gridSize(axes: readonly Axis[]): number {
  return axes.reduce((product, { values }) => product * values.length, 1);
}

/** The set with this number; the last axis varies fastest. */
export function setAt(axes: readonly Axis[], set: number): NumberedSet {
  const params: Record<string, ParameterSet[string]> = {};
  let rest = set;
  for (const { name, values } of [...axes].reverse()) {
    params[name] = values[rest % values.length] ?? '';
    rest = Math.floor(rest / values.length);
  }
  return { set, params: Object.fromEntries(axes.map(({ name }) => [name, params[name] ?? ''])) };
}

/**
 * Every set of the grid that meets the conditions.
 * @param fixed parameters with one value, which conditions may name
 */
export function gridSets(
  axes: readonly Axis[],
  conditions: readonly Condition[],
  fixed: Readonly<Record<string, unknown>>,
): readonly NumberedSet[] {
  const all = Array.from({ length: gridSize(axes) }, (_, set) => setAt(axes, set));
  return all.filter(({ params }) => conditions.every((condition) => condition.holds({ ...fixed, ...params })));
}

/**
 * Different sets of the grid drawn at random, in the order of their numbers; fewer if the grid has fewer. The same
 * seed draws the same sets.
 */
export function randomSets(
  axes: readonly Axis[],
  conditions: readonly Condition[],
  fixed: Readonly<Record<string, unknown>>,
  count: number,
  seed: number,
): readonly NumberedSet[] {
  const size = gridSize(axes);
  const random = seeded(seed);
  const drawn =
    size <= mostSets
      ? drawnOf(gridSets(axes, conditions, fixed), count, random)
      : drawnFrom(axes, conditions, fixed, count, random);
  return [...drawn].sort((a, b) => a.set - b.set);
}

/** The first of a shuffle. */
function drawnOf(sets: readonly NumberedSet[], count: number, random: () => number): readonly NumberedSet[] {
  const left = [...sets];
  for (let at = 0; at < Math.min(count, left.length); at++) {
    const other = at + Math.floor(random() * (left.length - at));
    const [first, second] = [left[at], left[other]];
    if (first && second) [left[at], left[other]] = [second, first];
  }
  return left.slice(0, count);
}

/** Draws until there are enough; a condition that hardly any set meets ends it before. */
function drawnFrom(
  axes: readonly Axis[],
  conditions: readonly Condition[],
  fixed: Readonly<Record<string, unknown>>,
  count: number,
  random: () => number,
): readonly NumberedSet[] {
  const found = new Map<number, NumberedSet>();
  for (let tries = 0; tries < count * 1_000 && found.size < count; tries++) {
    const drawn = setAt(axes, Math.floor(random() * gridSize(axes)));
    const isMet = conditions.every((condition) => condition.holds({ ...fixed, ...drawn.params }));
    if (isMet) found.set(drawn.set, drawn);
  }
  return [...found.values()];
}
