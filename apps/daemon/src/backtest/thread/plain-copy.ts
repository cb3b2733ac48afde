import { types } from 'node:util';

/** Deeper data may contain itself. */
const mostDepth = 6;

/** The value is more than plain data: `structuredClone` decides about it. */
class NotPlainError extends Error {}

const notPlain = new NotPlainError();

/**
 * A copy as `structuredClone` makes it, for the small plain objects that strategies mostly hand over: it takes a tenth of the
 * time. Anything else is left to `structuredClone`.
 * @throws DataCloneError, as structuredClone does
 */
export function plainCopy<Value>(value: Value): Value {
  try {
    return copyOf(value, 0) as Value;
  } catch (error) {
    if (error === notPlain) return structuredClone(value);
    throw error;
  }
}

/**
 * Copies of rows that are our own while what their members hold is the strategy's, as {@link plainCopy} copies it. The list is of
 * another context, in which an iterator is slow.
 */
export function plainRows<Row extends object>(rows: readonly Row[]): Row[] {
  const copies: Row[] = [];
  for (let at = 0; at < rows.length; at++) copies.push(plainRow(rows[at] as Row));
  return copies;
}

function plainRow<Row extends object>(row: Row): Row {
  const copy = { ...row };
  for (const name in copy) {
    const value: unknown = copy[name];
    if (isSimple(value)) continue;
    copy[name] = plainCopy(copy[name]);
  }
  return copy;
}

/** Whether a value is its own copy. */
function isSimple(value: unknown): boolean {
  const type = typeof value;
  return value === null || (type !== 'object' && type !== 'function' && type !== 'symbol');
}

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw notPlain;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === mostDepth || types.isProxy(value)) throw notPlain;
  if (Array.isArray(value)) return elementsOf(value, depth);
  if (!isPlain(value)) throw notPlain;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (key === '__proto__') throw notPlain;
    copy[key] = copyOf((value as Readonly<Record<string, unknown>>)[key], depth + 1);
  }
  return copy;
}

function elementsOf(list: readonly unknown[], depth: number): unknown[] {
  // Holes, and members besides the elements.
  if (Object.keys(list).length !== list.length) throw notPlain;
  return list.map((element) => copyOf(element, depth + 1));
}

/** Whether an object of any context is one of a literal: the prototype of its class has none itself. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return typeof prototype === 'object' && prototype !== null && Object.getPrototypeOf(prototype) === null;
}
