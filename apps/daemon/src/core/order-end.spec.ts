import { OrderState } from '@libs/trade-constants';
import type { OwnedTicket } from './records';
import { goneOf, orderEnd, type OrderFacts } from './order-end';

const owned: OwnedTicket = {
  ...{ strategy: 'ema', broker: 'demo', ticket: 7, stream: 'eur', symbol: 'EURUSD', intentId: 'i1' },
  ...{ deals: [], volumeIn: '0', volumeOut: '0', working: true, closed: false },
};
const partly: OwnedTicket = { ...owned, deals: [1], volumeIn: '0.3' };
const order = (state: number, left: number, position_id = 7): OrderFacts => ({
  ...{ state, position_id, volume_initial: 0.5, volume_current: left },
});
const hedging = { isHedging: true, isSeen: true };
const netting = { isHedging: false, isSeen: false };

describe('an order that is no longer pending', () => {
  it.each([
    ['is placed', owned, order(OrderState.PLACED, 0.5), hedging],
    ['was filled in part, and its deal is not shown yet', owned, order(OrderState.CANCELED, 0.2), hedging],
    ['was filled in full, and only a part is shown', partly, order(OrderState.FILLED, 0), hedging],
    ['was filled, netting, and no deal is shown', owned, order(OrderState.FILLED, 0), netting],
  ])('is followed further while it %s', (_case, ticket, of, facts) => {
    expect(orderEnd(ticket, of, facts)).toEqual({ kind: 'not yet' });
  });

  it('ends its ticket when nothing of it was filled, and leaves the position when a part was', () => {
    const nothing = orderEnd(owned, order(OrderState.EXPIRED, 0.5), { ...hedging, isSeen: false });
    expect(nothing).toMatchObject({ kind: 'over', changed: { working: false, closed: true } });
    const part = orderEnd(partly, order(OrderState.CANCELED, 0.2), hedging);
    expect(part).toMatchObject({ kind: 'over', changed: { working: false, closed: false, volumeIn: '0.3' } });
    expect(orderEnd({ ...partly, working: false }, order(OrderState.CANCELED, 0.2), hedging)).toEqual({
      ...{ kind: 'over', changed: null },
    });
  });

  it('is in another position when it filled into one on a netting account', () => {
    expect(orderEnd(owned, order(OrderState.FILLED, 0, 3), netting)).toEqual({ kind: 'into', position: 3 });
  });

  it('is emitted once, with what was filled of it; not when it was filled in full', () => {
    expect(goneOf(owned, order(OrderState.CANCELED, 0.2))).toMatchObject({
      ...{ order: 7, intentId: 'i1', kind: 'cancelled', volume: 0.5, filled: 0.3 },
    });
    expect(goneOf({ ...owned, working: false }, order(OrderState.CANCELED, 0.2))).toBeNull();
    expect(goneOf(owned, order(OrderState.FILLED, 0))).toBeNull();
  });
});
