import {
  isStopLimit,
  narrowToOrder,
  type BarPath,
  isReached,
  triggerOf,
  type Bounds,
  type Prices,
} from '@libs/simulator';
import { isBuyOrder, OrderFilling, OrderTime, OrderType } from '@libs/terminal-client';
import type { OrderGone, PendingOrder, Stream } from '@libs/strategy';
import { broker } from '../backtest-core';
import type { KernelOrder, Placing } from './kernel-placing';

/** What an order has of its strategy. */
type OrderMarks = Pick<KernelOrder, 'ticket' | 'intentId' | 'tag' | 'oco'>;

/** A point of a path at which an order is due, and its price there. */
export interface DueOrder {
  readonly order: KernelOrder;
  readonly share: number;
  readonly price: number;
}

/** How orders ended without a fill, until the strategy hears of it. */
type Ended = Pick<OrderGone, 'kind'> & { readonly order: KernelOrder };

/** The pending orders of one run: what waits, what has lapsed, and which groups have filled. The account fills them. */
export class KernelOrders {
  /** In the order in which they were placed. */
  readonly waiting: KernelOrder[] = [];
  /** When the next one lapses, in UTC milliseconds. */
  nextExpiryMs = Number.POSITIVE_INFINITY;
  private ended: Ended[] = [];
  /** Orders of groups that filled since the last look. */
  private filled: KernelOrder[] = [];
  /** The first order that filled of each group, by the group. */
  private readonly firsts = new Map<string, number>();

  constructor(private readonly stream: Stream) {}

  find(ticket: number): KernelOrder | undefined {
    return this.waiting.find((order) => order.ticket === ticket);
  }

  /** The order of a group that has filled; undefined while none has. */
  firstOf(group: string | undefined): number | undefined {
    return group === undefined ? undefined : this.firsts.get(group);
  }

  place({ request, expiresMs, expirationMs }: Placing, marks: OrderMarks): void {
    const { symbol, magic, type, type_filling, type_time, sl, tp } = request;
    const {
      expiration: time_expiration,
      volume: volume_current,
      price: price_open,
      stoplimit: price_stoplimit,
    } = request;
    const terms = { symbol, magic, type, type_filling, type_time, time_expiration, volume_current };
    this.add({ ...terms, price_open, price_stoplimit, sl, tp, expiresMs, expirationMs, ...marks });
  }

  add(order: KernelOrder): void {
    this.waiting.push(order);
    this.watchTime();
  }

  /** Gives an order what a request for a change has. */
  change(order: KernelOrder, { request, expiresMs, expirationMs }: Placing): void {
    order.price_open = request.price;
    order.price_stoplimit = isStopLimit(order.type) ? request.stoplimit : 0;
    order.sl = request.sl;
    order.tp = request.tp;
    order.type_time = request.type_time;
    order.time_expiration = request.type_time === OrderTime.SPECIFIED ? request.expiration : 0;
    order.expiresMs = expiresMs;
    order.expirationMs = expirationMs;
    this.watchTime();
  }

  /** Ends an order without a fill. */
  end(order: KernelOrder, kind: OrderGone['kind']): void {
    this.remove(order);
    this.ended.push({ order, kind });
  }

  /** Ends an order that is filled. */
  fill(order: KernelOrder): void {
    this.remove(order);
    if (order.oco !== null) this.filled.push(order);
  }

  /** A touched stop-limit becomes a limit order under the same ticket. */
  convert(order: KernelOrder): void {
    order.type = order.type === OrderType.BUY_STOP_LIMIT ? OrderType.BUY_LIMIT : OrderType.SELL_LIMIT;
    order.type_filling = OrderFilling.RETURN;
    order.price_open = order.price_stoplimit;
  }

  /** Ends what has lapsed by an instant. */
  lapse(timeMs: number): void {
    for (const order of [...this.waiting]) if (order.expiresMs <= timeMs) this.end(order, 'expired');
  }

  narrow(bounds: Bounds): void {
    for (const order of this.waiting) narrowToOrder(bounds, order);
  }

  /**
   * What the path reaches first, in the order of placing where two are at one point.
   * @param since points of the path at which orders came to be what they are, by ticket
   */
  firstOn(path: BarPath, since: ReadonlyMap<number, number>, beyond: number): DueOrder | null {
    let first: DueOrder | null = null;
    for (const order of this.waiting) {
      const trigger = triggerOf(order);
      const crossing = trigger && path.crossing(trigger, since.get(order.ticket) ?? 0, beyond);
      if (crossing && (first === null || crossing.share < first.share)) first = { order, ...crossing };
    }
    return first;
  }

  /** What a quote has reached, to be filled at the quote; a stop-limit that is reached becomes a limit before. */
  dueAt(quote: Readonly<Prices>, beyond: number): readonly KernelOrder[] {
    const isDue = (order: KernelOrder): boolean => {
      const trigger = triggerOf(order);
      return trigger !== null && isReached(trigger, quote, beyond);
    };
    for (const order of this.waiting) if (isStopLimit(order.type) && isDue(order)) this.convert(order);
    return this.waiting.filter((order) => !isStopLimit(order.type) && isDue(order));
  }

  /**
   * The orders that ended without a fill since the last look, in the order in which they were placed; then those that are cancelled
   * because another one of their group has filled.
   */
  look(): readonly OrderGone[] {
    if (this.ended.length === 0 && this.filled.length === 0) return none;
    const ended = this.takeEnded();
    for (const { oco, ticket } of this.filled.sort((a, b) => a.ticket - b.ticket)) {
      if (oco !== null && !this.firsts.has(oco)) this.firsts.set(oco, ticket);
    }
    this.filled = [];
    for (const order of [...this.waiting]) {
      if (order.oco !== null && this.firsts.has(order.oco)) this.end(order, 'cancelled');
    }
    return [...ended, ...this.takeEnded()];
  }

  /** The waiting orders as the strategy sees them. */
  shown(): readonly PendingOrder[] {
    const { alias, symbol } = this.stream;
    return this.waiting.map((order) => ({
      ticket: order.ticket,
      stream: alias,
      intentId: order.intentId,
      tag: order.tag,
      broker,
      symbol,
      side: isBuyOrder(order.type) ? 'buy' : 'sell',
      kind: kindOf(order.type),
      volume: order.volume_current,
      price: order.price_open,
      stoplimit: order.price_stoplimit,
      sl: order.sl,
      tp: order.tp,
      expirationMs: order.expirationMs,
    }));
  }

  private takeEnded(): readonly OrderGone[] {
    const { alias, symbol } = this.stream;
    const ended = this.ended.sort((a, b) => a.order.ticket - b.order.ticket);
    this.ended = [];
    return ended.map(({ order: { ticket, intentId, volume_current: volume }, kind }) => ({
      intentId,
      order: ticket,
      stream: alias,
      symbol,
      kind,
      volume,
      filled: 0,
    }));
  }

  private remove(order: KernelOrder): void {
    this.waiting.splice(this.waiting.indexOf(order), 1);
    this.watchTime();
  }

  private watchTime(): void {
    this.nextExpiryMs = this.waiting.reduce((first, { expiresMs }) => Math.min(first, expiresMs), Infinity);
  }
}

const none: readonly OrderGone[] = [];

function kindOf(type: number): PendingOrder['kind'] {
  if (isStopLimit(type)) return 'stop_limit';
  return type === OrderType.BUY_STOP || type === OrderType.SELL_STOP ? 'stop' : 'limit';
}
