import fc from 'fast-check';
import { Decimal } from 'decimal.js';
import { OrderState } from '@libs/trade-constants';
import { balanceChange, netVolume } from './deal-sums';
import type { TradeDeal, Unexplained } from './evidence';
import { explain, nothingUnderWay } from './explain';
import { after, Books, deposit, Known, steps } from './testing/books';

const kinds = (found: readonly Unexplained[]): string[] => found.map(({ kind }) => kind);
const tickets = (found: readonly Unexplained[]): (number | null)[] => found.map(({ ticket }) => ticket);

describe('the rule of the account', () => {
  it('explains whatever a broker does, as long as the terminal has loaded it', () => {
    fc.assert(
      fc.property(steps, steps, (before, since) => {
        const books = after(new Books(), before);
        expect(explain(null, books.look(null), nothingUnderWay)).toEqual([]);
        const known = new Known(books);
        expect(explain(known, after(books, since).look(known), nothingUnderWay)).toEqual([]);
      }),
    );
  });

  it('names every position that a list lacks although no deal has closed it', () => {
    fc.assert(
      fc.property(steps, steps, fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }), (before, since, hides) => {
        const books = after(new Books(), before);
        const known = new Known(books);
        const look = after(books, since).look(known);
        const hidden = look.positions.filter(({ identifier }, at) => known.positions.has(identifier) && hides[at % 20]);
        const shown = look.positions.filter((position) => !hidden.includes(position));
        const found = explain(known, { ...look, positions: shown }, nothingUnderWay);
        const missing = found.filter(({ kind }) => kind === 'position_missing');
        expect(tickets(missing).sort()).toEqual(hidden.map(({ ticket }) => ticket).sort());
      }),
    );
  });

  it('names every position that is gone or smaller while the deals are not loaded', () => {
    fc.assert(
      fc.property(steps, steps, (before, since) => {
        const books = after(new Books(), before);
        const known = new Known(books);
        const look = after(books, since).look(known);
        const old = (deals: readonly TradeDeal[]): TradeDeal[] => deals.filter(({ ticket }) => known.deals.has(ticket));
        const without = new Map([...look.dealsOf].map(([id, deals]) => [id, old(deals)]));
        const found = explain(known, { ...look, deals: old(look.deals), dealsOf: without }, nothingUnderWay);
        const reduced = [...known.positions].filter(([id, { record }]) => {
          const now = look.positions.find(({ identifier }) => identifier === id);
          return (now?.volume ?? 0) < record.volume;
        });
        const lost = found.filter(({ kind }) => kind === 'position_missing' || kind === 'position_reduced');
        expect(tickets(lost).sort()).toEqual(reduced.map(([id]) => id).sort());
      }),
    );
  });

  it('names every position that is shown as it was before its deals', () => {
    fc.assert(
      fc.property(steps, steps, (before, since) => {
        const books = after(new Books(), before);
        const known = new Known(books);
        const positions = [...books.positions];
        const look = after(books, since).look(known);
        const found = explain(known, { ...look, account: null, positions }, nothingUnderWay);
        const moved = positions.filter(({ identifier, volume }) => {
          const now = look.positions.find((one) => one.identifier === identifier);
          return now?.volume !== volume;
        });
        const behind = found.filter(({ kind }) => kind === 'position_behind');
        expect(tickets(behind)).toEqual(moved.map(({ ticket }) => ticket));
      }),
    );
  });

  it('names every fill while the history has its order, and neither its deals nor its position', () => {
    fc.assert(
      fc.property(steps, steps, (before, since) => {
        const books = after(new Books(), before);
        const known = new Known(books);
        const shown = { positions: [...books.positions], deals: [...books.deals] };
        const look = after(books, since).look(known);
        const dealsOf = new Map<number, readonly TradeDeal[]>();
        const found = explain(known, { ...look, ...shown, account: null, dealsOf }, nothingUnderWay);
        const filled = look.doneOrders.filter(
          ({ ticket, state }) => state === OrderState.FILLED && !known.doneOrders.has(ticket),
        );
        expect(tickets(found.filter(({ kind }) => kind === 'fill_without_deals'))).toEqual(
          filled.map(({ ticket }) => ticket),
        );
      }),
    );
  });

  it('names every order that is gone without an end, and a history that lacks what it had', () => {
    fc.assert(
      fc.property(steps, (before) => {
        const books = after(new Books(), before);
        const known = new Known(books);
        const look = books.look(known);
        const lost = explain(known, { ...look, orders: [] }, nothingUnderWay);
        expect(tickets(lost.filter(({ kind }) => kind === 'order_missing'))).toEqual(
          books.orders.map((one) => one.ticket),
        );
        const empty = explain(known, { ...look, deals: [], doneOrders: [] }, nothingUnderWay);
        const least = Number(books.deals.length > 0) + Number(books.doneOrders.length > 0);
        expect(kinds(empty).filter((kind) => kind === 'history_incomplete')).toHaveLength(least);
      }),
    );
  });

  it('compares money to the cent with the deals up to some point', () => {
    fc.assert(
      fc.property(steps, steps, fc.integer({ min: -500, max: 500 }), (before, since, cents) => {
        const books = after(new Books(), before);
        const known = new Known(books);
        const look = after(books, since).look(known);
        const news = look.deals.filter(({ ticket }) => !known.deals.has(ticket));
        const points = news.map((_, at) =>
          news.slice(0, at + 1).reduce((sum, deal) => sum.plus(balanceChange(deal)), new Decimal(0)),
        );
        const balance = new Decimal(books.balance).plus(cents / 100).toDecimalPlaces(2);
        const isReached = [new Decimal(0), ...points].some((sum) =>
          sum.plus(known.balance).minus(balance).abs().lt(0.01),
        );
        const account = { margin: 0, profit: 0, ...look.account, balance: balance.toNumber() };
        const found = kinds(explain(known, { ...look, account }, nothingUnderWay));
        expect(found.includes('balance_without_deals')).toBe(!isReached);
      }),
    );
  });

  it('believes an empty first list only without margin and floating profit, and no position that deals leave open', () => {
    const books = after(new Books(), [{ kind: 'open', lots: 2, isLong: true }]);
    const look = { ...books.look(null), positions: [] };
    expect(kinds(explain(null, look, nothingUnderWay))).toEqual(['position_missing', 'profit_without_positions']);
    const unloaded = { ...look, deals: [deposit], dealsOf: new Map<number, readonly TradeDeal[]>() };
    expect(kinds(explain(null, unloaded, nothingUnderWay))).toEqual(['fill_without_deals', 'profit_without_positions']);
    const money = { balance: 1_000, margin: 5, profit: 0 };
    const flat = { ...unloaded, doneOrders: [], endOf: new Map<number, null>(), account: money };
    expect(kinds(explain(null, flat, nothingUnderWay))).toEqual(['margin_without_positions']);
  });

  it('believes a first look at money only with a deal, and one that shows the orders that were acknowledged just before', () => {
    const look = new Books().look(null);
    expect(explain(null, look, nothingUnderWay)).toEqual([]);
    expect(kinds(explain(null, { ...look, deals: [] }, nothingUnderWay))).toEqual(['history_incomplete']);
    const empty = { ...look, deals: [], account: { balance: 0, margin: 0, profit: 0 } };
    expect(explain(null, empty, nothingUnderWay)).toEqual([]);
    const zeros = { ...look, account: { balance: 0, margin: 0, profit: 0 } };
    expect(kinds(explain(null, zeros, nothingUnderWay))).toEqual(['balance_without_deals']);
    const overdue = [{ ticket: 900, symbol: 'EURUSD', time: 900 }];
    expect(kinds(explain(null, look, { isAcknowledged: () => true, overdue }))).toEqual(['acknowledged_order_missing']);
  });

  it('waits for the deals of a position that appears, unless the broker acknowledged its order', () => {
    const books = new Books();
    const known = new Known(books);
    const look = after(books, [{ kind: 'open', lots: 2, isLong: true }]).look(known);
    const late = { ...look, account: null, deals: [deposit], dealsOf: new Map<number, readonly TradeDeal[]>() };
    expect(kinds(explain(known, late, nothingUnderWay))).toEqual(['position_without_deals']);
    expect(explain(known, late, { isAcknowledged: () => true, overdue: [] })).toEqual([]);
  });

  it('awaits an acknowledged order, and the position that a deal has opened', () => {
    const books = new Books();
    const known = new Known(books);
    const overdue = [{ ticket: 900, symbol: 'EURUSD', time: 900 }];
    expect(explain(known, books.look(known), { isAcknowledged: () => false, overdue })).toMatchObject([
      { kind: 'acknowledged_order_missing', ticket: 900 },
    ]);
    const look = after(books, [{ kind: 'open', lots: 2, isLong: false }]).look(known);
    expect(netVolume(look.deals).toNumber()).toBe(-0.2);
    const behind = { ...look, account: null, positions: [] };
    expect(explain(known, behind, nothingUnderWay)).toMatchObject([
      { kind: 'deal_without_position', spoils: 'positions' },
    ]);
  });
});
