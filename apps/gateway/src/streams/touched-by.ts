import type { AccountChange } from '@libs/terminal-client';
import type { IntentRecord } from '../trade-core/journal-records';
import { makesOrder } from '../trade-core/ticket-claims';

/**
 * The rows that a send of the gateway may have changed; null if it changed nothing. On a netting account, and after a send whose
 * order is not known, that can be any.
 */
export function touchedBy(
  { purpose, request, outcome }: Pick<IntentRecord, 'purpose' | 'request' | 'outcome'>,
  isHedging: boolean,
): AccountChange | null {
  switch (outcome.kind) {
    case 'pending':
    case 'not_sent':
    case 'rejected':
    case 'absent':
      return null;
    case 'unknown':
      return anyRow;
    case 'done': {
      if (!isHedging || (makesOrder(purpose) && outcome.result.order === 0)) return anyRow;
      const orders = named(outcome.result.order, request.order);
      return { orders, positions: named(request.position, request.position_by), isWider: false };
    }
  }
}

const anyRow: AccountChange = { orders: new Set(), positions: new Set(), isWider: true };

function named(...tickets: readonly number[]): Set<number> {
  return new Set(tickets.filter((ticket) => ticket > 0));
}
