import { Decimal } from 'decimal.js';

/** A value that a parameter takes in a search. */
export type AxisValue = number | string | boolean;

/** A parameter of a search and the values it takes, in the order in which they are tried. */
export interface Axis {
  readonly name: string;
  readonly values: readonly AxisValue[];
}

const mostValues = 10_000;
const number = String.raw`-?\d+(?:\.\d+)?`;
const range = new RegExp(`^(${number}):(${number}):(${number})$`);

/**
 * Reads `fast=5:50:5,mode=a|b`: a range with its step, both ends included, or values between bars.
 * @param problems receives a sentence for each entry that cannot be used
 */
export function parseGrid(text: string, problems: string[]): readonly Axis[] {
  const axes = text.split(',').flatMap((entry) => axisOf(entry.trim(), problems) ?? []);
  const names = axes.map(({ name }) => name);
  for (const name of new Set(names.filter((other, index) => names.indexOf(other) !== index))) {
    problems.push(`--grid has ${name} more than once`);
  }
  return axes;
}

function axisOf(entry: string, problems: string[]): Axis | null {
  const [, name = '', what = ''] = /^([A-Za-z_$][\w$]*)=(.+)$/.exec(entry) ?? [];
  if (name === '') {
    problems.push(`--grid entries have the form name=from:to:step or name=a|b|c, not ${entry || 'nothing'}`);
    return null;
  }
  const [, from, to, step] = range.exec(what) ?? [];
  if (from === undefined || to === undefined || step === undefined) {
    if (what.includes(':')) problems.push(`--grid ${name} must be from:to:step or a list such as a|b|c, not ${what}`);
    return what.includes(':') ? null : { name, values: [...new Set(what.split('|').map(valueOf))] };
  }
  const problem = rangeProblem(new Decimal(from), new Decimal(to), new Decimal(step));
  if (problem !== null) problems.push(`--grid ${name}=${what}: ${problem}`);
  return problem === null ? { name, values: valuesOf(new Decimal(from), new Decimal(to), new Decimal(step)) } : null;
}

function rangeProblem(from: Decimal, to: Decimal, step: Decimal): string | null {
  if (step.lte(0)) return 'the step must be above 0';
  if (to.lt(from)) return 'the end is below the start';
  const count = to.minus(from).div(step).floor().plus(1);
  return count.gt(mostValues) ? `${count.toFixed()} values are more than ${mostValues}` : null;
}

/** Exact steps: with floating-point sums 0.1:0.3:0.1 would have 0.30000000000000004. */
function valuesOf(from: Decimal, to: Decimal, step: Decimal): readonly number[] {
  const count = to.minus(from).div(step).floor().toNumber() + 1;
  return Array.from({ length: count }, (_, index) => from.plus(step.times(index)).toNumber());
}

function valueOf(text: string): AxisValue {
  if (text === 'true' || text === 'false') return text === 'true';
  return new RegExp(`^${number}$`).test(text) ? Number(text) : text;
}
