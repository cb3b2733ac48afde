import fc from 'fast-check';
import { OrderState, OrderType, TradeAction, TradeReason, tradeRequest, type TradeOrder } from '@libs/terminal-client';
import type { IntentRecord } from '../trade-core/journal-records';
import { ordersLeftFor } from './order-for-each';
import { clockToleranceMs } from './trace-match';

const sendAt = (id: string, serverTimeMsc: number): IntentRecord => ({
  id,
  key: id,
  purpose: 'open',
  request: tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1, type: OrderType.BUY, magic: 7 }),
  serverTimeMsc,
  positionId: 0,
  positionVolume: 0,
  createdAtMs: 0,
  outcome: { kind: 'unknown', reason: 'lost', result: null, lastError: null },
});
const orderAt = (ticket: number, timeMsc: number): TradeOrder =>
  ({
    ...{ ticket, symbol: 'EURUSD', type: OrderType.BUY, volume_initial: 0.1, magic: 7, comment: '' },
    ...{ time_setup_msc: timeMsc, reason: TradeReason.EXPERT, state: OrderState.FILLED, position_id: ticket },
  }) as TradeOrder;
const times = fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 6 });

/** Whether the sends can have an order each, by trying every assignment. */
function hasAssignment(sends: readonly number[], orders: readonly number[]): boolean {
  const [send, ...others] = sends;
  if (send === undefined) return true;
  return orders.some((order, at) => order >= send && hasAssignment(others, orders.toSpliced(at, 1)));
}

describe('the orders that are left for a send', () => {
  it('are those with which every send that competes can have one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), times, times, (own, rivals, set) => {
        const orders = set.map((timeMsc, index) => orderAt(index + 1, timeMsc));
        const candidates = orders.filter(({ time_setup_msc: timeMsc }) => timeMsc >= own);
        // A rival may have made an order that is earlier by the tolerance for clocks.
        const sends = rivals.map((timeMsc, index) => sendAt(`rival ${index}`, timeMsc + clockToleranceMs));
        const left = ordersLeftFor(sendAt('own', own), candidates, sends, orders, () => undefined);
        // A send that can have made no order at all was not executed, or its order is not visible: it competes for none.
        const competing = rivals.filter((rival) => set.some((order) => order >= rival));
        const expected = candidates.filter(({ ticket }) => hasAssignment(competing, set.toSpliced(ticket - 1, 1)));
        // All sends are alike and can have made the newest order, so all compete.
        expect(left).toEqual(expected);
      }),
    );
  });
});
