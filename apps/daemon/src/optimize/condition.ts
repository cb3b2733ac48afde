import type { AxisValue } from './axis';

/** Values of the parameters that a search sets, by name. */
export type ParameterSet = Readonly<Record<string, AxisValue>>;

/** A comparison that a set has to meet to be run, such as `slow>=2*fast+5`. */
export interface Condition {
  readonly text: string;
  /** The parameters that it names. */
  readonly names: readonly string[];
  holds(values: Readonly<Record<string, unknown>>): boolean;
}

type Term = (values: Readonly<Record<string, unknown>>) => unknown;

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};
const number = String.raw`\d+(?:\.\d+)?`;
const name = String.raw`[A-Za-z_$][\w$]*`;
const linear = new RegExp(`^(?:(${number})\\*)?(${name})(?:([+-])(${number}))?$`);

/**
 * Reads `fast<slow,slow>=2*fast+5`: comparisons by < <= > >= = !=, each side a number, a name, or a name with a factor
 * before it and a number added or subtracted after it. `=` and `!=` compare texts as well.
 * @param problems receives a sentence for each comparison that cannot be used
 */
export function parseConditions(text: string, problems: string[]): readonly Condition[] {
  return text.split(',').flatMap((part) => {
    const condition = conditionOf(part.replaceAll(/\s+/g, ''));
    if (condition === null) problems.push(`--where takes comparisons such as fast<slow or slow>=2*fast+5, not ${part}`);
    return condition ?? [];
  });
}

function conditionOf(text: string): Condition | null {
  const [, left = '', operator = '', right = ''] = /^([^<>=!]+)(<=|>=|!=|<|>|=)([^<>=!]+)$/.exec(text) ?? [];
  const [a, b] = [termOf(left), termOf(right)];
  if (a === null || b === null) return null;
  const names = [left, right].flatMap((side) => linear.exec(side)?.[2] ?? []);
  const compare = comparisons[operator];
  if (compare === undefined) {
    const isEqual = operator === '=';
    // A side that does not name a parameter of the set is a text.
    return { text, names: [left], holds: (values) => (a(values) === (b(values) ?? right)) === isEqual };
  }
  return {
    text,
    names,
    holds: (values) => {
      const [x, y] = [a(values), b(values)];
      return typeof x === 'number' && typeof y === 'number' && compare(x, y);
    },
  };
}

function termOf(text: string): Term | null {
  if (new RegExp(`^-?${number}$`).test(text)) return () => Number(text);
  if (text === 'true' || text === 'false') return () => text === 'true';
  const [, factor, parameter = '', sign, addend] = linear.exec(text) ?? [];
  if (parameter === '') return null;
  if (factor === undefined && addend === undefined) return (values) => values[parameter];
  return (values) => {
    const value = values[parameter];
    if (typeof value !== 'number') return undefined;
    return value * Number(factor ?? 1) + Number(addend ?? 0) * (sign === '-' ? -1 : 1);
  };
}
