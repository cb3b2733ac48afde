import { suggestion } from '@libs/command-line';
import type { FieldProblem } from '@libs/envelope';

/** What is wrong with the names of a query. @param known the parameters of the route */
export function queryProblems(query: unknown, known: readonly string[]): FieldProblem[] {
  if (typeof query !== 'object' || query === null) return [];
  return Object.entries(query).flatMap(([field, value]): FieldProblem[] => {
    if (!known.includes(field)) return [{ field, problem: unknownParameter(field, known) }];
    return Array.isArray(value) ? [{ field, problem: `must be given once, not ${value.length} times` }] : [];
  });
}

function unknownParameter(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'unknown query parameter; this route has none';
  return `unknown query parameter${suggestion(name, known) ?? `; this route has ${known.join(', ')}`}`;
}
