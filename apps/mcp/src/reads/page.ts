import { recordAsData } from '../text/broker-text';

/** Some 6,000 tokens: an answer that a model can read beside its other work. */
const mostCharacters = 24_000;
const cursorForm = /^after-(\d{1,9})$/;

/** A cursor that no page gave. */
export class BadCursorError extends Error {}

export interface Page {
  readonly rows: readonly Record<string, unknown>[];
  readonly total: number;
  readonly next_cursor: string | null;
}

/**
 * The rows from the cursor on: at most `limit`, and at most as many as fit, but always one.
 * @throws BadCursorError
 */
export function pageFrom(rows: readonly object[], limit: number, cursor?: string): Page {
  const start = startOf(cursor);
  const page: Record<string, unknown>[] = [];
  let characters = 0;
  for (const row of rows.slice(start, start + limit)) {
    const data = recordAsData(row);
    characters += JSON.stringify(data).length;
    if (page.length > 0 && characters > mostCharacters) break;
    page.push(data);
  }
  const end = start + page.length;
  return { rows: page, total: rows.length, next_cursor: end < rows.length ? `after-${end}` : null };
}

function startOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [, rows] = cursorForm.exec(cursor) ?? [];
  if (rows === undefined) throw new BadCursorError('cursor must be the next_cursor of the page before');
  return Number(rows);
}
