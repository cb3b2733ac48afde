/** A value of a row: times are milliseconds since the epoch, and bigints are texts, as the driver gives them. */
export type Value = string | number | boolean | null;

export type Row = Record<string, Value>;

/** What the names in a statement stand for. */
export interface Scope {
  /** The row of the table that is named first. */
  readonly row: Readonly<Row>;
  /** A row of a list of parameters, which the statement joins as `held`. */
  readonly held?: Readonly<Row>;
  readonly values: readonly unknown[];
  readonly nowMs: number;
}

/** Whether a condition holds, as it stands in the statement: comparisons joined by `and`. @throws Error for another one */
export function holds(condition: string, scope: Scope): boolean {
  return condition.split(' and ').every((comparison) => {
    const [, left = '', operator, right = ''] = /^(\S+) (=|<|>) (\S+)$/.exec(comparison.trim()) ?? [];
    const [one, other] = [valueOf(left, scope), valueOf(right, scope)];
    if (one === null || other === null) return false;
    if (operator === '=') return String(one) === String(other);
    return operator === '<' ? Number(one) < Number(other) : Number(one) > Number(other);
  });
}

/** Applies the assignments of an update, as they stand in the statement. @throws Error for an unknown expression */
export function assign(assignments: string, row: Row, scope: Scope): void {
  const parts = assignments.split(/, (?=\w+ = )/).map((part) => /^(\w+) = (.+)$/.exec(part.trim()));
  const changes = parts.map((part) => {
    if (!part) throw unknown(assignments);
    return [part[1] ?? '', expression(part[2] ?? '', scope)] as const;
  });
  for (const [name, value] of changes) row[name] = value;
}

function expression(text: string, scope: Scope): Value {
  const [, increased] = /^(\w+) \+ 1$/.exec(text) ?? [];
  if (increased !== undefined) return String(Number(valueOf(increased, scope)) + 1);
  const [, column, least] = /^greatest\((\w+), (\$\d+)\) \+ 1$/.exec(text) ?? [];
  if (column !== undefined && least !== undefined) {
    return String(Math.max(Number(valueOf(column, scope)), Number(valueOf(least, scope))) + 1);
  }
  const [, later] = /^now\(\) \+ (\$\d+) \* interval '1 millisecond'$/.exec(text) ?? [];
  if (later !== undefined) return scope.nowMs + Number(valueOf(later, scope));
  if (text === 'extract(epoch from now())::bigint') return String(Math.round(scope.nowMs / 1_000));
  if (text === `'-infinity'`) return Number.NEGATIVE_INFINITY;
  return text === 'null' ? null : valueOf(text, scope);
}

function valueOf(name: string, { row, held, values, nowMs }: Scope): Value {
  if (name === 'now()') return nowMs;
  if (/^\$\d+$/.test(name)) return values[Number(name.slice(1)) - 1] as Value;
  const [, table, column = ''] = /^(?:(\w+)\.)?(\w+)$/.exec(name) ?? [];
  const value = table === 'held' ? held?.[column] : row[column];
  if (value === undefined) throw unknown(name);
  return value;
}

function unknown(text: string): Error {
  return new Error(`the simulated PostgreSQL does not know ${text}`);
}
