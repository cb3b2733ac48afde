import type { DealRecord } from '@libs/gateway-client';
import { DealEntry, DealType, PositionType } from '@libs/trade-constants';
import fc from 'fast-check';
import type { OwnedTicket } from './records';
import { bookDeals } from './deal-booking';
import { agrees, type TicketRows } from './account-rows';

const ticket = 7;
const blank: OwnedTicket = {
  ...{ strategy: 'ema', broker: 'demo', ticket, stream: 'eur', symbol: 'EURUSD', intentId: 'i1', deals: [] },
  ...{ volumeIn: '0', volumeOut: '0', closed: false },
};
const working = { ...blank, working: true };
const filled: OwnedTicket = { ...blank, working: false, volumeIn: '0.3', side: 'buy' };
const position = (volume: number, more: object = {}) => ({ ticket, type: PositionType.BUY, volume, ...more });
const order = (initial: number, current: number) => ({ volume_initial: initial, volume_current: current });

describe('the rows of a ticket', () => {
  it.each<[string, OwnedTicket, Partial<TicketRows>]>([
    ['a pending order that waits in full', working, { order: order(0.3, 0.3) }],
    [
      'a partly filled order with its position',
      { ...working, volumeIn: '0.1', side: 'buy' },
      { order: order(0.3, 0.2), position: position(0.1) },
    ],
    ['a position of the booked volume and side', filled, { position: position(0.3) }],
    ['a position that was closed in part', { ...filled, volumeOut: '0.1' }, { position: position(0.2) }],
    [
      'an order whose first fill was closed again',
      { ...working, volumeIn: '0.1', volumeOut: '0.1', side: 'buy' },
      { order: order(0.3, 0.2) },
    ],
  ])('agree with its booked deals: %s', (_what, owned, rows) => {
    expect(agrees(owned, { position: undefined, order: undefined, ...rows }, ticket)).toBe(true);
  });

  it.each<[string, OwnedTicket, Partial<TicketRows>]>([
    ['a pending order that is no longer in the list', working, {}],
    ['an order of an earlier version, of which no deal is booked', blank, {}],
    ['an order that filled more than is booked', working, { order: order(0.3, 0.2) }],
    [
      'an order that filled more than is booked, whose position is as large as before',
      { ...working, volumeIn: '0.1', side: 'buy' },
      { order: order(0.3, 0.1), position: position(0.1) },
    ],
    ['a position that is no longer in the list', filled, {}],
    ['a position whose booked volume is all closed, and which is in no list', { ...filled, volumeOut: '0.3' }, {}],
    ['a larger position', filled, { position: position(0.4) }],
    ['a smaller position', filled, { position: position(0.2) }],
    ['a position of the other side', filled, { position: position(0.3, { type: PositionType.SELL }) }],
    ['a position with a ticket that no booked deal gave it', filled, { position: position(0.3, { ticket: 8 }) }],
  ])('do not agree with its booked deals: %s', (_what, owned, rows) => {
    expect(agrees(owned, { position: undefined, order: undefined, ...rows }, ticket)).toBe(false);
  });

  it('agree under the ticket that the booked deals gave the position', () => {
    const rows = { position: position(0.3, { ticket: 8 }), order: undefined };
    expect([agrees(filled, rows, 8), agrees(filled, { ...rows, position: position(0.3) }, 8)]).toEqual([true, false]);
  });

  it('agree if and only if every deal of the position is booked', () => {
    // Deals of an entry that is filled in parts and closed in parts; both volumes in hundredths of a lot.
    const change = fc.record({ isIn: fc.boolean(), hundredths: fc.integer({ min: 1, max: 5 }) });
    const property = fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), fc.nat(8), (changes, booked) => {
      const lots = 50;
      let [inside, outside] = [0, 0];
      const deals: DealRecord[] = [];
      for (const { isIn, hundredths } of changes) {
        const volume = isIn ? hundredths : Math.min(hundredths, inside - outside);
        if (volume === 0) continue;
        if (isIn) inside += volume;
        else outside += volume;
        deals.push(dealOf(deals.length, isIn, volume / 100));
      }
      const known = deals.slice(0, booked);
      const { owned } = bookDeals(working, known, () => null);
      const rows: TicketRows = {
        order: order(lots / 100, (lots - inside) / 100),
        position: inside === outside ? undefined : position((inside - outside) / 100),
      };
      // Equal volumes in and out leave the position as it was; then the fills of the order show that a deal misses.
      expect(agrees(owned, rows, ticket)).toBe(known.length === deals.length);
    });
    fc.assert(property, { numRuns: 500, seed: 15 });
  });
});

function dealOf(index: number, isIn: boolean, volume: number): DealRecord {
  return {
    ...{ ticket: 100 + index, order: ticket, time: index, time_msc: index, magic: 7, position_id: ticket, reason: 3 },
    ...{ type: isIn ? DealType.BUY : DealType.SELL, entry: isIn ? DealEntry.IN : DealEntry.OUT, volume, price: 1.1 },
    ...{ commission: 0, swap: 0, profit: 0, fee: 0, symbol: 'EURUSD', comment: '', external_id: '' },
    ...{ time_utc: null, client_order_id: null },
  };
}
