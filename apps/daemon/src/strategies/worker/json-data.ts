/** Levels of nesting, more than data needs: a deeper one could not be read again. */
const mostLevels = 100;

/**
 * Why a value would not be the same after it was written as JSON and read again; null if it would.
 * @param path names the value in the problem
 */
export function jsonProblem(value: unknown, path: string): string | null {
  return problemIn(value, path, []);
}

/** @param around the objects that the value is in, the innermost last */
function problemIn(value: unknown, path: string, around: readonly object[]): string | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null;
    case 'number':
      return Number.isFinite(value) ? null : `${path} is ${value}, which JSON does not support`;
    case 'object':
      return value === null ? null : problemInObject(value, path, around);
    case 'undefined':
      return `${path} is undefined, which JSON does not support: use null, or delete the member`;
    default:
      return `${path} is a ${typeof value}, which JSON does not support`;
  }
}

function problemInObject(value: object, path: string, around: readonly object[]): string | null {
  if (around.includes(value)) return `${path} is an object that contains itself`;
  if (around.length === mostLevels) return `${path} is nested more than ${mostLevels} levels deep`;
  if (!Array.isArray(value) && !isPlain(value)) {
    return `${path} is a ${nameOf(value)}, which JSON does not support: use plain objects and lists`;
  }
  const within = [...around, value];
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const problem = problemIn(value[index], `${path}[${index}]`, within);
      if (problem !== null) return problem;
    }
    return null;
  }
  for (const [name, member] of Object.entries(value)) {
    const problem = problemIn(member, `${path}.${name}`, within);
    if (problem !== null) return problem;
  }
  return null;
}

/** An object literal, of any realm: a backtest has the strategy in a context of its own. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOf(value: object): string {
  const { name } = value.constructor;
  return name === '' ? 'class instance' : name;
}
