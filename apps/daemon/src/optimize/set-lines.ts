import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Axis, AxisValue } from './axis';
import type { ParameterSet } from './condition';
import type { NumberedSet } from './parameter-sets';

/** A line that is not a set: its number, as of a set, and why. */
export interface WrongLine {
  readonly set: number;
  readonly error: string;
}

/**
 * The sets of a text as they come: a JSON object a line, such as `{"fast": 12, "slow": 26}`. Its number is that of the line,
 * from 0. Empty lines are skipped.
 * @param refuse receives each line that is not a set
 */
export async function* setLines(text: Readable, refuse: (line: WrongLine) => void): AsyncGenerator<NumberedSet> {
  let number = 0;
  for await (const line of createInterface({ input: text })) {
    const set = number++;
    if (line.trim() === '') continue;
    const params = paramsOf(line);
    if (params !== null) yield { set, params };
    else {
      const form = 'a JSON object of numbers, texts and booleans, such as {"fast": 12}';
      refuse({ set, error: `line ${set + 1} must be ${form}, not ${line.trim().slice(0, 100)}` });
    }
  }
}

/** The parameters of sets, each with the values that it took: numbers by size, others as they came. */
export function axesOf(sets: readonly NumberedSet[]): readonly Axis[] {
  const values = new Map<string, Set<AxisValue>>();
  for (const { params } of sets) {
    for (const [name, value] of Object.entries(params)) values.set(name, (values.get(name) ?? new Set()).add(value));
  }
  return [...values].map(([name, own]) => ({ name, values: [...own].sort(byNumber) }));
}

function byNumber(a: AxisValue, b: AxisValue): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : 0;
}

function paramsOf(line: string): ParameterSet | null {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const entries = Object.entries(value).flatMap(([name, own]: [string, unknown]) =>
      typeof own === 'number' || typeof own === 'string' || typeof own === 'boolean' ? [[name, own] as const] : [],
    );
    return entries.length === Object.keys(value).length ? Object.fromEntries(entries) : null;
  } catch {
    return null;
  }
}
