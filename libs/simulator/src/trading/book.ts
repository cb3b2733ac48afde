import type { AccountChange, TradeDeal, TradeOrder } from '@libs/terminal-client';
import { exact, exactSum, type Money, sum, zero } from '../money/decimals';
import { dealForm, orderForm } from './history-forms';
import type { HistoryMemory } from './history-disk';
import { TicketSequence } from './ticket-sequence';
import { PositionsOnSymbol, type OpenPosition } from './positions-on-symbol';
import { TradeHistory } from './trade-history';

export type { OpenPosition };

/** An active order, with what the broker keeps beside its record. */
export interface ActiveOrder extends TradeOrder {
  /** UTC milliseconds at which it expires; 0 is never. */
  expires_ms: number;
  /** Ticket of the position that it is to close; 0 when it opens. */
  closes: number;
  /** Deposit currency for one unit of margin currency, when it was placed. */
  margin_rate: number;
}

/** An order as the terminal shows it. */
export function orderRecord(order: ActiveOrder): TradeOrder {
  return {
    ticket: order.ticket,
    time_setup: order.time_setup,
    time_setup_msc: order.time_setup_msc,
    time_done: order.time_done,
    time_done_msc: order.time_done_msc,
    time_expiration: order.time_expiration,
    type_time: order.type_time,
    type_filling: order.type_filling,
    state: order.state,
    magic: order.magic,
    position_id: order.position_id,
    position_by_id: order.position_by_id,
    reason: order.reason,
    volume_current: order.volume_current,
    price_open: order.price_open,
    sl: order.sl,
    tp: order.tp,
    price_current: order.price_current,
    price_stoplimit: order.price_stoplimit,
    comment: order.comment,
    external_id: order.external_id,
    type: order.type,
    symbol: order.symbol,
    volume_initial: order.volume_initial,
  };
}

/** All that changed in a book since the last read, for the code that keeps it on disk. */
export interface BookChange {
  positions: OpenPosition[];
  closedPositions: number[];
  orders: ActiveOrder[];
  doneOrders: number[];
  historyOrders: TradeOrder[];
  deals: TradeDeal[];
}

/** The tickets that changed since the last report. */
class Touched implements AccountChange {
  readonly positions = new Set<number>();
  readonly orders = new Set<number>();
  isWider = false;

  get isEmpty(): boolean {
    return this.positions.size === 0 && this.orders.size === 0 && !this.isWider;
  }
}

const emptyChange = (): BookChange => ({
  positions: [],
  closedPositions: [],
  orders: [],
  doneOrders: [],
  historyOrders: [],
  deals: [],
});

/**
 * The account's books: balance, open positions, active orders and the history. Every change goes through a method here,
 * which keeps the balance the sum of the deals.
 */
export class Book {
  readonly positions = new Map<number, OpenPosition>();
  readonly orders = new Map<number, ActiveOrder>();
  readonly historyOrders: TradeHistory<TradeOrder>;
  /** By ticket means by the ticket of their order. */
  readonly deals: TradeHistory<TradeDeal>;
  /** Open positions by symbol and ticket. */
  readonly positionsOn: ReadonlyMap<string, PositionsOnSymbol>;
  /** Grows with every change of positions or orders. */
  version = 0;
  readonly orderTickets: TicketSequence;
  readonly dealTickets: TicketSequence;
  /** The balance in decimals; null until it is read, where {@link moneyNumber} has all its digits. */
  private money: Money | null = zero;
  private moneyNumber = 0;
  private hasAllDigits = true;
  private readonly bySymbol = new Map<string, PositionsOnSymbol>();
  private change = emptyChange();
  private touched = new Touched();

  /** @param memory beyond it, the oldest deals and done orders are on disk; null: all stay in memory */
  constructor(seed: number, memory: HistoryMemory | null = null) {
    this.historyOrders = new TradeHistory(
      orderForm,
      ({ ticket }) => ticket,
      ({ time_done }) => time_done,
      memory,
    );
    this.deals = new TradeHistory(
      dealForm,
      ({ order }) => order,
      ({ time }) => time,
      memory,
    );
    this.orderTickets = new TicketSequence(seed, 530_218_000);
    this.dealTickets = new TicketSequence(seed ^ 0x5bd1e995, 507_962_000);
    this.positionsOn = this.bySymbol;
  }

  /** Grows with every position, order and deal that comes, changes or goes; prices alone leave it as it is. */
  get revision(): number {
    return this.version + this.deals.length + this.historyOrders.length;
  }

  get balance(): Money {
    return (this.money ??= exact(this.moneyNumber));
  }

  /** {@link balance} as a double, for code that reads it with every quote. */
  get balanceNumber(): number {
    return this.moneyNumber;
  }

  putPosition(position: OpenPosition): void {
    this.positions.set(position.ticket, position);
    this.onSymbol(position).put(position);
    this.change.positions.push(position);
    this.touched.positions.add(position.ticket);
    this.version++;
  }

  removePosition(ticket: number): void {
    const position = this.positions.get(ticket);
    if (position) this.onSymbol(position).remove(ticket);
    this.positions.delete(ticket);
    this.change.closedPositions.push(ticket);
    this.touched.positions.add(ticket);
    this.version++;
  }

  putOrder(order: ActiveOrder): void {
    this.orders.set(order.ticket, order);
    this.change.orders.push(order);
    this.touched.orders.add(order.ticket);
    this.version++;
  }

  /** Takes an order off the active list and puts it, as it is now, into the history. */
  finishOrder(order: ActiveOrder): void {
    if (this.orders.delete(order.ticket)) {
      this.change.doneOrders.push(order.ticket);
      this.version++;
    }
    const record = orderRecord(order);
    this.historyOrders.add(record);
    this.change.historyOrders.push(record);
    this.touched.orders.add(order.ticket);
  }

  /** Books a deal: its profit, swap, commission and fee move the balance. */
  addDeal(deal: TradeDeal): void {
    this.deals.add(deal);
    this.change.deals.push(deal);
    if (deal.order === 0) this.touched.isWider = true;
    else this.touched.orders.add(deal.order);
    if (isWithoutResult(deal)) return;
    const result = dealResult(deal);
    const total = this.hasAllDigits ? exactSum(this.moneyNumber, result) : null;
    this.money = total === null ? this.balance.add(result) : null;
    this.moneyNumber = total ?? this.balance.toNumber();
    this.hasAllDigits = this.money === null || this.money.eq(this.moneyNumber);
  }

  /** Gives up the history on disk. */
  close(): void {
    this.historyOrders.close();
    this.deals.close();
  }

  private onSymbol({ symbol }: OpenPosition): PositionsOnSymbol {
    let positions = this.bySymbol.get(symbol);
    if (!positions) this.bySymbol.set(symbol, (positions = new PositionsOnSymbol()));
    return positions;
  }

  /** Takes the tickets that changed since the last call; null when there are none. */
  takeTouched(): AccountChange | null {
    const { touched } = this;
    if (touched.isEmpty) return null;
    this.touched = new Touched();
    return touched;
  }

  /** Takes the change since the last call. Records in it are live: write them out at once. */
  takeChange(): BookChange | null {
    const { positions, closedPositions, orders, doneOrders, historyOrders, deals } = this.change;
    const size =
      positions.length +
      closedPositions.length +
      orders.length +
      doneOrders.length +
      historyOrders.length +
      deals.length;
    if (size === 0) return null;
    const taken = this.change;
    this.change = emptyChange();
    return taken;
  }
}

/** Whether a deal leaves the balance as it is, as most entries do. */
function isWithoutResult({ profit, swap, commission, fee }: TradeDeal): boolean {
  return profit === 0 && swap === 0 && commission === 0 && fee === 0;
}

/** What a deal does to the balance. */
function dealResult({ profit, swap, commission, fee }: TradeDeal): number {
  return sum(sum(profit, swap), sum(commission, fee));
}
