import fc from 'fast-check';
import { Decimal } from 'decimal.js';
import { DealEntry, DealType, OrderState, OrderType, PositionType } from '@libs/trade-constants';
import { balanceChange } from '../deal-sums';
import type {
  AccountLook,
  ExplainedAccount,
  ExplainedPosition,
  SeenRows,
  TradeDeal,
  TradeOrder,
  TradePosition,
} from '../evidence';

/** What happens on a hedging account. */
export type Step =
  | { readonly kind: 'open'; readonly lots: number; readonly isLong: boolean }
  | { readonly kind: 'close'; readonly which: number; readonly part: boolean }
  | { readonly kind: 'place' }
  | { readonly kind: 'cancel'; readonly which: number }
  | { readonly kind: 'deposit'; readonly cents: number };

export const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('open' as const), lots: fc.integer({ min: 2, max: 9 }), isLong: fc.boolean() }),
    fc.record({ kind: fc.constant('close' as const), which: fc.nat(9), part: fc.boolean() }),
    fc.constant({ kind: 'place' as const }),
    fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(9) }),
    fc.record({ kind: fc.constant('deposit' as const), cents: fc.integer({ min: 1, max: 10_000 }) }),
  ),
  { maxLength: 20 },
) as fc.Arbitrary<Step[]>;

export const deposit = {
  ...{ ticket: 1, order: 0, time: 1, type: DealType.BALANCE, entry: DealEntry.IN, volume: 0, position_id: 0 },
  ...{ symbol: '', profit: 1_000, swap: 0, commission: 0, fee: 0 },
} as TradeDeal;

/** An order of 0.1 lots. */
export function orderOf(ticket: number, changes: Partial<TradeOrder>): TradeOrder {
  const facts = { symbol: 'EURUSD', type: OrderType.BUY_LIMIT, position_id: 0, volume_initial: 0.1, time_done: 0 };
  return { ticket, ...facts, ...changes } as TradeOrder;
}

/** A broker's books. Times are tickets, so that they rise with every row. */
export class Books {
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
        this.orders.push(orderOf(time, { state: OrderState.PLACED, volume_current: 0.1 }));
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
    if (volume > 0) {
      const side = isBuy ? OrderType.BUY : OrderType.SELL;
      const facts = { type: side, position_id, volume_initial: volume, time_done: ticket };
      this.doneOrders.push(orderOf(ticket, { ...facts, state: OrderState.FILLED, volume_current: 0 }));
    }
    const money = { profit, swap: 0, commission: -0.01, fee: 0 };
    const deal = { ticket, order: ticket, time: ticket, type, entry, volume, position_id, symbol: 'EURUSD', ...money };
    this.deals.push(deal as TradeDeal);
    this.balance = new Decimal(this.balance).plus(balanceChange(deal)).toNumber();
  }
}

/** The account as the books had it at an instant. */
export class Known implements ExplainedAccount {
  readonly positions: RowsOf<ExplainedPosition>;
  readonly orders: RowsOf<TradeOrder>;
  readonly deals: Seen;
  readonly doneOrders: Seen;
  readonly closedLately = new Set<number>();
  readonly balance: number;
  private readonly amounts: ReadonlyMap<number, number>;

  constructor({ positions, orders, deals, doneOrders, balance, ticket }: Books) {
    this.positions = new RowsOf(positions.map((record) => [record.identifier, { record, toldThrough: ticket }]));
    this.orders = new RowsOf(orders.map((order) => [order.ticket, order]));
    this.deals = new Seen(deals);
    this.doneOrders = new Seen(doneOrders);
    this.balance = balance;
    this.amounts = new Map(deals.map((deal) => [deal.ticket, balanceChange(deal).toNumber()]));
    const open = new Set(positions.map(({ identifier }) => identifier));
    for (const { position_id } of deals) if (!open.has(position_id)) this.closedLately.add(position_id);
  }

  leastDealsIn(): number {
    return 0;
  }

  amountOf(ticket: number): number | null {
    return this.amounts.get(ticket) ?? null;
  }
}

class RowsOf<Row> extends Map<number, Row> {
  entriesOf(keys: Iterable<number> | null): Iterable<[number, Row]> {
    const wanted = keys === null ? null : new Set(keys);
    return [...this].filter(([key]) => wanted === null || wanted.has(key));
  }
}

class Seen implements SeenRows {
  readonly lookBackTo = 0;
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

export function after(books: Books, taken: readonly Step[]): Books {
  for (const step of taken) books.take(step);
  return books;
}

/** A position of this many tenths of a lot, and the deal that opened it. */
export function opened(lots: number, isLong = true): { readonly position: TradePosition; readonly deal: TradeDeal } {
  const { positions, deals } = after(new Books(), [{ kind: 'open', lots, isLong }]);
  const [position, deal] = [positions[0], deals[1]];
  if (!position || !deal) throw new Error('the books have no position');
  return { position, deal };
}
