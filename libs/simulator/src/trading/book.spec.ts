import fc from 'fast-check';
import type { TradeDeal } from '@libs/terminal-client';
import { Money } from '../money/decimals';
import { Book } from './book';

const dealOf = (ticket: number, profit: number): TradeDeal => ({
  ...{ ticket, order: ticket, time: 0, time_msc: 0, type: 0, entry: 1, magic: 0, position_id: ticket, reason: 3 },
  ...{
    volume: 0.1,
    price: 1.1,
    commission: 0,
    swap: 0,
    profit,
    fee: 0,
    symbol: 'EURUSD',
    comment: '',
    external_id: '',
  },
});

const amounts = fc.oneof(
  fc.integer({ min: -1e6, max: 1e6 }).map((cents) => cents / 100),
  fc.constantFrom(1e7, -1e7, 1e15, -1e15, 0.000000001),
);

describe('the balance of the books', () => {
  it('is the exact sum of the deals, also when it was above what doubles add exactly', () => {
    fc.assert(
      fc.property(fc.array(amounts), (profits) => {
        const book = new Book(1);
        profits.forEach((profit, index) => book.addDeal(dealOf(index + 1, profit)));
        const exactly = profits.reduce((sum, profit) => sum.add(profit), new Money(0));
        expect(book.balance.eq(exactly)).toBe(true);
        expect(book.balanceNumber).toBe(exactly.toNumber());
      }),
    );
  });
});
