import type { DealRecord } from '@libs/gateway-client';
import { DealEntry, DealType } from '@libs/trade-constants';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { blankRecord, type OwnedTicket } from './records';
import { openVolume, realizedBy } from './deal-booking';
import { book, ledgerOf, ownedOf, realizedOn, type Ledger } from './ledger';

const position = 7;
const claim: OwnedTicket = {
  ...{ strategy: 'ema', broker: 'demo', ticket: position, stream: 'eur', symbol: 'EURUSD', intentId: 'i1' },
  ...{ deals: [], volumeIn: '0', volumeOut: '0', working: false, closed: false },
};
const blank = ledgerOf(blankRecord('ema'), []);

/** Signed lots in hundredths, each one deal of the position; on a netting account a deal may reverse it. */
const moves = fc.array(
  fc.integer({ min: -30, max: 30 }).filter((lots) => lots !== 0),
  { minLength: 1, maxLength: 12 },
);

/** The deals that these moves are on a netting account, until the position is closed. */
function dealsOf(lots: readonly number[]): readonly DealRecord[] {
  let open = 0;
  const deals: DealRecord[] = [];
  for (const lot of lots) {
    if (open === 0 && deals.length > 0) break;
    const after = open + lot;
    const isIn = open === 0 || Math.sign(open) === Math.sign(lot);
    const isOut = !isIn && Math.abs(lot) <= Math.abs(open);
    const index = deals.length;
    deals.push({
      ...{ ticket: 100 + index, order: 200 + index, type: lot > 0 ? DealType.BUY : DealType.SELL, reason: 3 },
      ...{ entry: isIn ? DealEntry.IN : isOut ? DealEntry.OUT : DealEntry.INOUT, volume: Math.abs(lot) / 100 },
      ...{ price: 1.1, profit: isIn ? 0 : lot * 1.1, commission: -0.35, swap: -0.01, fee: 0, magic: 7 },
      ...{ position_id: position, symbol: 'EURUSD', time: index, time_msc: index * 1_000, comment: '' },
      ...{ external_id: '', time_utc: new Date(index * 1_000).toISOString(), client_order_id: null },
    });
    open = after;
  }
  return deals;
}

const read = (ledger: Ledger, deals: readonly DealRecord[], isSeen = true): Ledger =>
  book(ledger, { type: 'deals', broker: 'demo', ticket: position, deals, intents: new Map(), isSeen }).ledger;
const claimed = (ledger: Ledger): Ledger => book(ledger, { type: 'claimed', tickets: [claim] }).ledger;
/** A ledger without the order in which deals were booked. */
const contentOf = (ledger: Ledger) => {
  const owned = ownedOf(ledger, 'demo', position);
  return { ...ledger, tickets: owned && { ...owned, deals: [...owned.deals].sort() } };
};

describe('the ledger of a strategy', () => {
  it('is plain data that survives a copy', () => {
    const ledger = read(claimed(blank), dealsOf([10, -4]));
    expect(structuredClone(ledger)).toEqual(ledger);
  });

  it('books a reversal and its close in their order, even if the server clock was set back between them', () => {
    const deals = dealsOf([-1, 2, -1]).map((deal, index) => (index === 2 ? { ...deal, time_msc: -3_600_000 } : deal));
    // A closed position leaves the ledger.
    expect(ownedOf(read(claimed(blank), deals, false), 'demo', position)).toBeNull();
  });

  it('books each deal once, however often it is read', () => {
    const property = fc.property(moves, fc.boolean(), (lots, isSeen) => {
      const deals = dealsOf(lots);
      const once = read(claimed(blank), deals, isSeen);
      const again = book(once, { type: 'deals', broker: 'demo', ticket: position, deals, intents: new Map(), isSeen });
      expect(again.ledger).toEqual(once);
      expect(again).toMatchObject({ change: {}, fills: [] });
      // Neither does a second answer to an entry that is still open.
      const isOpen = ownedOf(once, 'demo', position) !== null;
      expect(isOpen ? claimed(once) : once).toEqual(once);
    });
    fc.assert(property, { numRuns: 500, seed: 15 });
  });

  it('is the same if any part of the deals is shown late, before or after the answer', () => {
    const parts = fc.array(fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), { maxLength: 5 });
    const property = fc.property(moves, parts, fc.nat(5), (lots, shown, answeredAt) => {
      const deals = dealsOf(lots);
      const inOneRead = read(claimed(blank), deals);
      let ledger = blank;
      shown.forEach((isShown, index) => {
        if (index === answeredAt) ledger = claimed(ledger);
        ledger = read(
          ledger,
          deals.filter((_, deal) => isShown[deal]),
        );
      });
      if (answeredAt >= shown.length) ledger = claimed(ledger);
      expect(contentOf(read(ledger, deals))).toEqual(contentOf(inOneRead));
    });
    fc.assert(property, { numRuns: 1_000, seed: 15 });
  });

  it('has the lots, the side and the result that the deals add up to', () => {
    const property = fc.property(moves, (lots) => {
      const deals = dealsOf(lots);
      const held = deals.reduce(
        (sum, { type, volume }) => (type === DealType.BUY ? sum.plus(volume) : sum.minus(volume)),
        new Decimal(0),
      );
      const ledger = read(claimed(blank), deals);
      const owned = ownedOf(ledger, 'demo', position);
      expect(owned && openVolume(owned).toNumber()).toBe(held.abs().toNumber());
      expect(held.isZero() || owned?.side === (held.gt(0) ? 'buy' : 'sell')).toBe(true);
      const result = deals.reduce((sum, deal) => sum.plus(realizedBy(deal)), new Decimal(0));
      expect(new Decimal(ledger.record.realized).toFixed(8)).toBe(result.toFixed(8));
      expect(ledger.record.realizedOn?.['demo']).toBe(ledger.record.realized);
      expect(ledger.record.trades).toBe(deals.length);
      // A position that is closed by its deals leaves the ledger when its row is gone.
      expect(ownedOf(read(ledger, deals, false), 'demo', position) === null).toBe(held.isZero());
    });
    fc.assert(property, { numRuns: 500, seed: 15 });
  });

  it('books only deals of its own tickets', () => {
    expect(read(blank, dealsOf([10]))).toEqual(blank);
    const elsewhere = { ...claim, broker: 'live' };
    const ledger = book(blank, { type: 'claimed', tickets: [elsewhere] }).ledger;
    expect(read(ledger, dealsOf([10]))).toEqual(ledger);
  });

  it('has the result of each gateway beside that of all', () => {
    const elsewhere: OwnedTicket = { ...claim, broker: 'live' };
    let ledger = book(claimed(blank), { type: 'claimed', tickets: [elsewhere] }).ledger;
    for (const broker of ['demo', 'live', 'demo']) {
      const deals = dealsOf(broker === 'live' ? [10, -10] : [10, -4]);
      const event = { type: 'deals', broker, ticket: position, deals, intents: new Map(), isSeen: true } as const;
      ledger = book(ledger, event).ledger;
    }
    const { record } = ledger;
    // Losses of 4.4 and 11, and the costs of two deals each.
    expect([record.realized, record.trades]).toEqual(['-16.84', 4]);
    const byGateway = ['demo', 'live', 'other'].map((broker) => realizedOn(record, broker)?.toString());
    expect(byGateway).toEqual(['-5.12', '-11.72', '0']);
    const { realizedOn: _, ...earlier } = record;
    expect(realizedOn(earlier, 'demo')).toBeNull();
    expect(read({ ...claimed(blank), record: { ...earlier, realized: '0' } }, dealsOf([10])).record).toMatchObject({
      realized: '-0.36',
    });
  });

  it('names the intent of a deal, or else that of its order', () => {
    const order: OwnedTicket = { ...claim, ticket: 201, intentId: 'of the order' };
    const ledger = book(claimed(blank), { type: 'claimed', tickets: [order] }).ledger;
    const event = {
      type: 'deals',
      broker: 'demo',
      ticket: position,
      deals: dealsOf([10, 5, -2]),
      isSeen: true,
    } as const;
    const { fills } = book(ledger, { ...event, intents: new Map([[100, 'of the deal']]) });
    expect(fills.map(({ intentId }) => intentId)).toEqual(['of the deal', 'of the order', null]);
  });

  it('keeps the latest trade as the last one', () => {
    const [first, second] = dealsOf([10, 5]);
    if (!first || !second) throw new Error('there are two deals');
    const late = read(read(claimed(blank), [second]), [second, first]);
    expect(late.record.lastTrade).toMatchObject({ timestamp: second.time_utc });
    const next = read(read(claimed(blank), [first]), [first, second]);
    expect(next.record.lastTrade).toMatchObject({ timestamp: second.time_utc });
    // A trade of unknown time counts as the latest.
    const unknown = read(read(claimed(blank), [first]), [first, { ...second, time_utc: null }]);
    expect(unknown.record.lastTrade).toMatchObject({ timestamp: null });
  });

  it('changes its record with the capital, once', () => {
    const { ledger, change } = book(blank, { type: 'capital', capital: 1_000 });
    expect(change).toEqual({ strategy: { ...blank.record, capital: 1_000 } });
    expect(ledger.record).toMatchObject({ capital: 1_000 });
    expect(book(ledger, { type: 'capital', capital: 1_000 }).change).toEqual({});
  });

  it('writes nothing for tickets and deals that it has', () => {
    const ledger = read(claimed(blank), dealsOf([10]));
    expect(book(ledger, { type: 'claimed', tickets: [claim] }).change).toStrictEqual({});
    const event = { type: 'deals', broker: 'demo', ticket: position, deals: dealsOf([10]), isSeen: true } as const;
    expect(book(ledger, { ...event, intents: new Map() }).change).toStrictEqual({});
  });
});
