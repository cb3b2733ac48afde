/**
 * The members of a mapping that was read from a file.
 * @param note called with the problem of a value that is not a mapping; it then counts as an empty one
 */
export function mappingMembers(value: unknown, note: (problem: string) => void): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  note('must be a mapping of names to values');
  return {};
}
