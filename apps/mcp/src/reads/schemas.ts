import type { Fields } from '@libs/records';
import { z } from 'zod';

/** The output schema of a record that `libs/records` declares. A newer gateway may send more members. */
export function rowOf(fields: Fields): z.ZodObject {
  const members = Object.entries(fields).map(([name, { type, nullable }]) => {
    const value = type === 'string' ? z.string() : type === 'boolean' ? z.boolean() : z.number();
    return [name, (nullable ? value.nullable() : value).optional()] as const;
  });
  return z.looseObject(Object.fromEntries(members));
}

/** The output schema of a page of rows. */
export function pageOf(row: z.ZodObject): z.ZodObject {
  return z.object({
    rows: z.array(row),
    total: z.number().describe('Rows of the whole list, not of this page.'),
    next_cursor: z.string().nullable().describe('Give it as `cursor` for the next page; null on the last one.'),
  });
}

/** Members of the input of every tool that answers in pages. */
export const pageInput = {
  limit: z.int().min(1).max(100).default(20).describe('Most rows of a page; fewer if they would be too long.'),
  cursor: z.string().optional().describe('`next_cursor` of the page before.'),
};

export const symbolInput = z.string().min(1).max(64).describe('As the broker spells it, such as EURUSD.');
export const instantInput = z
  .string()
  .max(40)
  .regex(/^\d{4}-\d\d-\d\d/, 'must be an ISO-8601 time such as 2026-01-31T08:00:00Z');
