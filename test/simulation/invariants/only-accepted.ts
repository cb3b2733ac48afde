import { Retcode } from '@libs/terminal-client';
import { isOnlyAccepted, type Ask, type HttpAnswer } from '../asks';

/** What came of the look-ups of an order's deals: none was begun, none showed a price, or one did. */
export type FillLookUp = 'none' | 'no fill' | 'fill';

/**
 * A close is answered as accepted only after retcode 10008, while no look-up has shown its fill, or after 10036, while the list still
 * shows the position that the broker says is closed.
 * @param lookUp of the order that the answer names
 */
export function acceptedThoughFilled(
  { key }: Ask,
  { status, body }: HttpAnswer,
  lookUp: (order: number) => FillLookUp,
): string[] {
  if (status >= 300 || !isOnlyAccepted(body)) return [];
  const { retcode, order } = (body['result'] ?? {}) as Readonly<Record<string, unknown>>;
  const words = `the close ${key} was answered as accepted`;
  if (retcode === Retcode.POSITION_CLOSED && body['already_closed'] === true) return [];
  if (retcode !== Retcode.PLACED) return [`${words} after retcode ${String(retcode)}`];
  // Without a number, its order was looked for among others, and not found.
  if (typeof order !== 'number') return [];
  switch (lookUp(order)) {
    case 'none':
      return [`${words}, and nobody has looked for the fill of order ${order}`];
    case 'fill':
      return [`${words}, after a look-up showed the fill of order ${order}`];
    case 'no fill':
      return [];
  }
}
