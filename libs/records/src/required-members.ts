import type { Fields, FieldType } from './field';

/** A member that a record always has, and its type on the wire. */
export type RequiredMember = readonly [name: string, type: FieldType];

/** The members that are never null, for a check of a record. */
export function requiredMembers(fields: Fields): readonly RequiredMember[] {
  return Object.entries(fields)
    .filter(([, field]) => !field.nullable)
    .map(([name, { type }]) => [name, type]);
}

/**
 * Whether a value from JSON has the type. An integer is within ±(2^53 − 1): the terminal has 64-bit numbers, and a double rounds
 * a larger one to another ticket or magic.
 */
export function isOfType(value: unknown, type: FieldType): boolean {
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type;
}

/** What is wrong with a value that is not of the type, to follow the name of the member. */
export function typeFault(value: unknown, type: FieldType): string {
  if (type !== 'integer') return `is not a ${type}`;
  if (typeof value !== 'number') return 'is not a number';
  return `is ${value}, which is not an integer of at most 9007199254740991; larger ones cannot be read exactly`;
}
