import { DealEntry, type TradeDeal, type TradeOrder } from '@libs/terminal-client';
import { booksDoubt, SteadyBooks, type AccountBooks } from './account-books';
import { tagOfKey } from './key-marks';
import { LostKeys } from './lost-keys';

const startS = 100 * 86_400;
const deal = (ticket: number, changes: Partial<TradeDeal> = {}): TradeDeal =>
  ({
    ...{ ticket, order: ticket, time: startS + ticket, type: 0, entry: DealEntry.IN, volume: 0.1, reason: 3 },
    ...{ profit: 0, swap: 0, commission: 0, fee: 0, symbol: 'EURUSD', comment: '', position_id: ticket },
    ...changes,
  }) as TradeDeal;
const order = (ticket: number, changes: Partial<TradeOrder> = {}): TradeOrder =>
  ({
    ticket,
    time_done: startS + ticket,
    time_setup_msc: 0,
    type: 0,
    reason: 3,
    comment: '',
    ...changes,
  }) as TradeOrder;
const deposit = deal(1, { order: 0, type: 2, profit: 1_000 });
const books = (balance: number, deals: readonly TradeDeal[], orders: readonly TradeOrder[] = []): AccountBooks => ({
  ...{ positions: [], orders, deals, allDeals: deals, balances: [balance, balance], fromS: startS - 2 * 86_400 },
  moneyDigits: 2,
});
const closed = deal(7, { entry: DealEntry.OUT, profit: -10, commission: -0.5, swap: -0.25 });

describe('the books of an account', () => {
  it.each<[string, AccountBooks, boolean | null]>([
    [
      'whole if the deals sum up to the balance and their orders are shown',
      books(989.25, [deposit, closed], [order(7)]),
      null,
    ],
    ['whole without money and deals', books(0, []), null],
    [
      'whole if a deal came between two reads of the balance',
      { ...books(1_000, [deposit]), balances: [900, 1_000] },
      null,
    ],
    ['whole if an order is older than the rows', { ...books(989.25, [deposit, closed]), fromS: startS + 7 }, null],
    ['in contradiction if there is money and no deal', books(1_000, []), true],
    ['in contradiction if the order of a deal is not shown', books(989.25, [deposit, closed]), true],
    ['in doubt if the sum is another one', books(989.25, [deposit]), false],
  ])('are %s', (_case, shown, isContradiction) => {
    expect(booksDoubt(shown)?.isContradiction ?? null).toBe(isContradiction);
  });

  it('are compared to the last digit of their currency', () => {
    const doubtIn = (moneyDigits: number) => booksDoubt({ ...books(1_000.004, [deposit]), moneyDigits })?.reason;
    expect(doubtIn(2)).toBeUndefined();
    expect(doubtIn(3)).toBe('the balance is 1000.004, and the deals of the history sum up to 1000.000');
  });

  it('are doubted in the digits of their currency', () => {
    const doubtIn = (moneyDigits: number) => booksDoubt({ ...books(989.25, [deposit]), moneyDigits })?.reason;
    expect(doubtIn(0)).toBe('the balance is 989, and the deals of the history sum up to 1000');
    expect(doubtIn(3)).toBe('the balance is 989.250, and the deals of the history sum up to 1000.000');
  });

  it('are steady for as long as no row of the past comes or goes', () => {
    const steady = new SteadyBooks();
    const [early, late, now] = [deal(2), deal(50), deal(90)];
    expect(steady.note(books(1, [late]), 1_000)).toBe(0);
    expect(steady.note(books(1, [late]), 31_000)).toBe(30_000);
    expect(steady.note(books(1, [late, now]), 41_000)).toBe(40_000);
    expect(steady.note(books(1, [early, late, now]), 51_000)).toBe(0);
    expect(steady.note(books(1, [early, late, now]), 61_000)).toBe(10_000);
    steady.interrupted();
    expect(steady.note(books(1, [early, late, now]), 71_000)).toBe(0);
  });
});

describe('the keys of a lost journal', () => {
  const comment = tagOfKey('k');
  const nothing = { positions: [], orders: [], deals: [] };
  const intentsOf = (keys: LostKeys) => keys.find('k', 0)?.intents ?? [];

  it('stay known when a later list lacks their orders, or shows them without the tag', () => {
    const keys = new LostKeys(() => 'id');
    keys.take({ ...nothing, orders: [order(5, { comment })] }, 1, false);
    keys.take(nothing, 1, true);
    keys.take({ ...nothing, orders: [order(5)] }, 1, true);
    expect(intentsOf(keys)).toHaveLength(1);
  });

  it('get the orders that a later list shows, each once and with the best of its rows', () => {
    const keys = new LostKeys(() => 'id');
    const close = { comment, entry: DealEntry.OUT, position_id: 3 };
    keys.take({ ...nothing, orders: [order(5, { comment, position_id: 3 })], deals: [deal(5, close)] }, 1, false);
    keys.take({ ...nothing, deals: [deal(5, close), deal(6, close)] }, 1, true);
    expect(intentsOf(keys).map(({ purpose, positionId }) => [purpose, positionId])).toEqual([
      ['close', 3],
      ['close', 3],
    ]);
  });

  it('are whole for the account that was read whole, and for no other one', () => {
    const keys = new LostKeys(() => 'id');
    keys.take(nothing, 1, true);
    expect([keys.isWhole(1), keys.isWhole(2)]).toEqual([true, false]);
    keys.doubt();
    expect(keys.isWhole(1)).toBe(false);
  });
});
