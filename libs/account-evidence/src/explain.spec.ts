import fc from 'fast-check';
import { Decimal } from 'decimal.js';
import { DealEntry, DealType, OrderState, PositionType } from '@libs/trade-constants';
import { balanceChange, netVolume } from './deal-sums';
import type {
  AccountLook,
  ExplainedAccount,
  SeenRows,
  TradeDeal,
  TradeOrder,
  TradePosition,
  Unexplained,
} from './evidence';
import { explain, nothingUnderWay } from './explain';

/** What happens on a hedging account. */
type Step =
  | { readonly kind: 'open'; readonly lots: number; readonly isLong: boolean }
  | { readonly kind: 'close'; readonly which: number; readonly part: boolean }
  | { readonly kind: 'place' }
  | { readonly kind: 'cancel'; readonly which: number }
  | { readonly kind: 'deposit'; readonly cents: number };

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('open' as const), lots: fc.integer({ min: 2, max: 9 }), isLong: fc.boolean() }),
    fc.record({ kind: fc.constant('close' as const), which: fc.nat(9), part: fc.boolean() }),
    fc.constant({ kind: 'place' as const }),
    fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(9) }),
    fc.record({ kind: fc.constant('deposit' as const), cents: fc.integer({ min: 1, max: 10_000 }) }),
  ),
  { maxLength: 20 },
) as fc.Arbitrary<Step[]>;

const deposit = {
  ...{ ticket: 1, order: 0, time: 1, type: DealType.BALANCE, entry: DealEntry.IN, volume: 0, position_id: 0 },
  ...{ symbol: '', profit: 1_000, swap: 0, commission: 0, fee: 0 },
} as TradeDeal;

/** A broker's books. Times are tickets, so that they rise with every row. */
class Books {
  ticket = 100;
  positions: TradePosition[] = [];
  orders: TradeOrder[] = [];
  deals: TradeDeal[] = [deposit];
  doneOrders: TradeOrder[] = [];
  balance = 1_000;

  take(step: Step): void {
    const time = ++this.ticket;
    switch (step.kind) {
      case 'open': {
        const type = step.isLong ? PositionType.BUY : PositionType.SELL;
        const volume = step.lots / 10;
        this.positions.push({
          ticket: time,
          identifier: time,
          symbol: 'EURUSD',
          type,
          volume,
          profit: -1,
          swap: 0,
        } as TradePosition);
        return this.deal(time, step.isLong, volume, DealEntry.IN, 0, time);
      }
      case 'close': {
        const position = this.positions[step.which % Math.max(1, this.positions.length)];
        if (!position) return;
        const volume = step.part && position.volume > 0.1 ? 0.1 : position.volume;
        const left = new Decimal(position.volume).minus(volume).toNumber();
        this.positions = this.positions.flatMap((one) =>
          one !== position ? [one] : left > 0 ? [{ ...one, volume: left }] : [],
        );
        return this.deal(time, position.type === PositionType.SELL, volume, DealEntry.OUT, 7, position.identifier);
      }
      case 'place':
        this.orders.push({ ticket: time, symbol: 'EURUSD', state: OrderState.PLACED } as TradeOrder);
        return;
      case 'cancel': {
        const order = this.orders[step.which % Math.max(1, this.orders.length)];
        if (!order) return;
        this.orders = this.orders.filter((one) => one !== order);
        this.doneOrders.push({ ...order, state: OrderState.CANCELED, time_done: time });
        return;
      }
      case 'deposit':
        return this.deal(time, true, 0, DealEntry.IN, step.cents / 100, 0, DealType.BALANCE);
    }
  }

  /** What a terminal that has loaded everything shows to one who knows the account so far. */
  look(known: Known | null): AccountLook {
    const { positions, orders, deals, doneOrders, balance } = this;
    const floating = positions.length > 0 ? { margin: 10, profit: -positions.length } : { margin: 0, profit: 0 };
    const identifiers = new Set([...deals.map(({ position_id }) => position_id), ...(known?.positions.keys() ?? [])]);
    return {
      ...{ scope: null, account: { balance, ...floating }, isProfitOff: false, positions, orders, deals, doneOrders },
      historyFrom: { deals: 0, doneOrders: 0 },
      dealsOf: new Map([...identifiers].map((id) => [id, deals.filter(({ position_id }) => position_id === id)])),
      endOf: new Map(doneOrders.map((order) => [order.ticket, order])),
    };
  }

  private deal(
    ticket: number,
    isBuy: boolean,
    volume: number,
    entry: DealEntry,
    profit: number,
    position_id: number,
    type: DealType = isBuy ? DealType.BUY : DealType.SELL,
  ): void {
    const money = { profit, swap: 0, commission: -0.01, fee: 0 };
    const deal = { ticket, order: ticket, time: ticket, type, entry, volume, position_id, symbol: 'EURUSD', ...money };
    this.deals.push(deal as TradeDeal);
    this.balance = new Decimal(this.balance).plus(balanceChange(deal)).toNumber();
  }
}

/** The account as the books had it at an instant. */
class Known implements ExplainedAccount {
  readonly positions: RowsOf<{ record: TradePosition; toldThrough: number }>;
  readonly orders: RowsOf<TradeOrder>;
  readonly deals: Seen;
  readonly doneOrders: Seen;
  readonly closedLately = new Set<number>();
  readonly balance: number;

  constructor({ positions, orders, deals, doneOrders, balance, ticket }: Books) {
    this.positions = new RowsOf(positions.map((record) => [record.identifier, { record, toldThrough: ticket }]));
    this.orders = new RowsOf(orders.map((order) => [order.ticket, order]));
    this.deals = new Seen(deals);
    this.doneOrders = new Seen(doneOrders);
    this.balance = balance;
    const open = new Set(positions.map(({ identifier }) => identifier));
    for (const { position_id } of deals) if (!open.has(position_id)) this.closedLately.add(position_id);
  }

  leastDealsIn(): number {
    return 0;
  }
}

class RowsOf<Row> extends Map<number, Row> {
  entriesOf(keys: Iterable<number> | null): Iterable<[number, Row]> {
    const wanted = keys === null ? null : new Set(keys);
    return [...this].filter(([key]) => wanted === null || wanted.has(key));
  }
}

class Seen implements SeenRows {
  private readonly tickets: ReadonlySet<number>;

  constructor(rows: readonly { readonly ticket: number }[]) {
    this.tickets = new Set(rows.map(({ ticket }) => ticket));
  }

  has(ticket: number): boolean {
    return this.tickets.has(ticket);
  }

  missingIn(listed: ReadonlySet<number>): number[] {
    return [...this.tickets].filter((ticket) => !listed.has(ticket));
  }
}

function after(books: Books, taken: readonly Step[]): Books {
  for (const step of taken) books.take(step);
  return books;
}

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
    expect(kinds(explain(null, unloaded, nothingUnderWay))).toEqual(['profit_without_positions']);
    const flat = { ...unloaded, account: { balance: 1_000, margin: 5, profit: 0 } };
    expect(kinds(explain(null, flat, nothingUnderWay))).toEqual(['margin_without_positions']);
  });

  it('believes a first look at money only with a deal, and one that shows the orders that were acknowledged just before', () => {
    const look = new Books().look(null);
    expect(explain(null, look, nothingUnderWay)).toEqual([]);
    expect(kinds(explain(null, { ...look, deals: [] }, nothingUnderWay))).toEqual(['history_incomplete']);
    const empty = { ...look, deals: [], account: { balance: 0, margin: 0, profit: 0 } };
    expect(explain(null, empty, nothingUnderWay)).toEqual([]);
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
