import type { HttpAnswer } from '../asks';

/** A position or a pending order at the broker. */
export interface HeldRow {
  readonly ticket: number;
  /** Virtual milliseconds for which the broker had it when the list was asked for. */
  readonly heldMs: number;
}

/** How long the lists of a terminal may lag behind the broker without the knowledge of the gateway. */
export const lagMs = 60_000;

/** A list that is answered lacks nothing that the broker had all along. @param held what it has at the answer */
export function lackingRows(
  list: string,
  { status, body }: Pick<HttpAnswer, 'status' | 'body'>,
  held: readonly HeldRow[],
): string[] {
  if (status !== 200) return [];
  const rows = body['data'] as readonly { readonly ticket: number }[];
  const shown = new Set(rows.map(({ ticket }) => ticket));
  return held
    .filter(({ ticket, heldMs }) => heldMs > lagMs && !shown.has(ticket))
    .map(({ ticket, heldMs }) => `the list of ${list} lacks ${ticket}, which the broker has for ${heldMs} ms`);
}
