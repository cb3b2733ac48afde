import type { Fields, FieldType } from './field';

/** A member that a record always has, and what `typeof` gives for it. */
export type RequiredMember = readonly [name: string, type: Exclude<FieldType, 'integer'>];

/** The members that are never null, for a check of a record. */
export function requiredMembers(fields: Fields): readonly RequiredMember[] {
  return Object.entries(fields)
    .filter(([, field]) => !field.nullable)
    .map(([name, { type }]) => [name, type === 'integer' ? 'number' : type]);
}
