import {
  isBuyOrder,
  OrderFilling,
  OrderState,
  OrderTime,
  OrderType,
  Retcode,
  SymbolExecution,
  type TradeRequest,
} from '@libs/terminal-client';
import type { LiveQuote } from '../quotes/live-quote';
import type { MarketSymbol } from '../market/market';
import { difference } from '../money/decimals';
import type { SymbolSpec } from '../symbols/symbol-spec';
import type { AccountRules } from './account-rules';
import type { ActiveOrder } from './book';
import { type Desk, symbolOf } from './desk';
import { expirationRefusal, expiresMs } from './expiration';
import { finish, newOrder, orderOf } from './orders';
import { firstRefusal, type Refusal, refusal } from './refusal';
import { answer, type ServerAnswer } from './server-answer';
import {
  fillingRefusal,
  isFarEnough,
  isPrice,
  openingRefusal,
  orderModeRefusal,
  stopsRefusal,
  volumeRefusal,
} from './symbol-rules';
import type { Prices } from './triggers';

type Levels = Pick<TradeRequest, 'type' | 'type_filling' | 'price' | 'stoplimit' | 'sl' | 'tp'>;

/** Placing, changing and removing pending orders. */
export class PendingOrders {
  constructor(
    private readonly desk: Desk,
    private readonly rules: AccountRules,
  ) {}

  /** Why a request would be refused; null when the order would be placed. Shared by check and send. */
  refuses(request: TradeRequest, symbol: MarketSymbol): Refusal | null {
    const { spec } = symbol;
    const { type, volume, sl, tp } = request;
    if (type < OrderType.BUY_LIMIT || type > OrderType.SELL_STOP_LIMIT) return refusal(Retcode.INVALID);
    const opening = { symbol, type, volume, price: request.price };
    return firstRefusal(
      () => orderModeRefusal(spec, type, sl, tp),
      () => volumeRefusal(spec, volume),
      () => fillingRefusal(spec, type, request.type_filling),
      () => expirationRefusal(this.desk.market, symbol, request),
      () => (this.desk.market.isOpen(symbol) ? null : refusal(Retcode.MARKET_CLOSED)),
      () => this.levelsRefusal(symbol, request),
      () => openingRefusal(spec, type),
      () => this.rules.orderLimit(),
      () => this.rules.positionLimit(),
      () => this.rules.volumeLimit(opening),
      () => this.rules.reserve(opening),
    );
  }

  place(request: TradeRequest, symbol: MarketSymbol): ServerAnswer {
    const quote = this.desk.market.quote(symbol);
    const refused = this.refuses(request, symbol);
    if (refused) return answer(refused, quote);
    const order = orderOf(this.desk, request);
    this.setExpiration(order, request, symbol);
    const rate = this.desk.conversion.marginRate(symbol.spec.currency_margin, isBuyOrder(order.type));
    order.margin_rate = rate?.toDecimalPlaces(10).toNumber() ?? 0;
    this.desk.book.putOrder(order);
    return answer(refusal(Retcode.DONE), quote, { order: order.ticket, volume: request.volume, price: request.price });
  }

  /** Why a change would be refused; null when it would be made. Shared by check and send. */
  refusesModify(request: TradeRequest): Refusal | null {
    const order = this.desk.book.orders.get(request.order);
    if (!order) return refusal(Retcode.INVALID_ORDER);
    const symbol = symbolOf(this.desk, order.symbol);
    const wanted = { ...request, type: order.type, type_filling: order.type_filling };
    return firstRefusal(
      () => (order.type <= OrderType.SELL ? refusal(Retcode.INVALID) : null),
      () => (this.isFrozen(order, symbol) ? refusal(Retcode.FROZEN) : null),
      () => orderModeRefusal(symbol.spec, order.type, request.sl, request.tp),
      () => expirationRefusal(this.desk.market, symbol, request),
      () => (isUnchanged(order, request) ? refusal(Retcode.NO_CHANGES) : null),
      () => (this.desk.market.isOpen(symbol) ? null : refusal(Retcode.MARKET_CLOSED)),
      () => this.levelsRefusal(symbol, wanted),
    );
  }

  /**
   * Gives an order new prices, levels and expiration; type and volume cannot change.
   * @param replaces cancels the order and places one like it with the new values
   */
  modify(request: TradeRequest, replaces = false): ServerAnswer {
    const standing = this.desk.book.orders.get(request.order);
    const refused = this.refusesModify(request);
    if (refused || !standing) return answer(refused ?? refusal(Retcode.INVALID_ORDER), this.quoteOf(standing));
    const order = replaces ? this.successorOf(standing) : standing;
    order.price_open = request.price;
    order.price_stoplimit = isStopLimit(order.type) ? request.stoplimit : 0;
    order.sl = request.sl;
    order.tp = request.tp;
    this.setExpiration(order, request, symbolOf(this.desk, order.symbol));
    this.desk.book.putOrder(order);
    return answer(refusal(Retcode.DONE), this.quoteOf(order), { order: order.ticket, price: request.price });
  }

  private successorOf(order: ActiveOrder): ActiveOrder {
    const successor = newOrder(this.desk, order);
    successor.margin_rate = order.margin_rate;
    finish(this.desk, order, OrderState.CANCELED);
    return successor;
  }

  /** Why a removal would be refused; null when it would be made. */
  refusesRemove(request: TradeRequest): Refusal | null {
    const order = this.desk.book.orders.get(request.order);
    if (!order) return refusal(Retcode.INVALID_ORDER);
    return this.isFrozen(order, symbolOf(this.desk, order.symbol)) ? refusal(Retcode.FROZEN) : null;
  }

  remove(request: TradeRequest): ServerAnswer {
    const order = this.desk.book.orders.get(request.order);
    const refused = this.refusesRemove(request);
    if (refused || !order) return answer(refused ?? refusal(Retcode.INVALID_ORDER), this.quoteOf(order));
    finish(this.desk, order, OrderState.CANCELED);
    return answer(refusal(Retcode.DONE), this.quoteOf(order), { order: order.ticket });
  }

  private quoteOf(order: ActiveOrder | undefined): LiveQuote | null {
    return order ? this.desk.market.quote(symbolOf(this.desk, order.symbol)) : null;
  }

  private setExpiration(order: ActiveOrder, request: TradeRequest, symbol: MarketSymbol): void {
    const isSpecified = request.type_time === OrderTime.SPECIFIED || request.type_time === OrderTime.SPECIFIED_DAY;
    order.type_time = request.type_time;
    order.time_expiration = isSpecified ? request.expiration : 0;
    order.expires_ms = expiresMs(this.desk.market, symbol, request);
  }

  private levelsRefusal(symbol: MarketSymbol, levels: Levels): Refusal | null {
    const quote = this.desk.market.quote(symbol);
    return quote ? pendingLevelsRefusal(symbol.spec, levels, quote) : refusal(Retcode.PRICE_OFF);
  }

  /** So close to its trigger that it can be neither changed nor removed. */
  private isFrozen(order: ActiveOrder, symbol: MarketSymbol): boolean {
    const level = symbol.spec.trade_freeze_level;
    const quote = this.desk.market.quote(symbol);
    if (level === 0 || !quote || order.type <= OrderType.SELL) return false;
    const trigger = isBuyOrder(order.type) ? quote.ask : quote.bid;
    return !isFarEnough(symbol.spec, Math.abs(difference(trigger, order.price_open)), level);
  }
}

export function isStopLimit(type: number): boolean {
  return type === OrderType.BUY_STOP_LIMIT || type === OrderType.SELL_STOP_LIMIT;
}

/** Why the prices and levels of a pending order are refused at a quote; null when they are not. */
export function pendingLevelsRefusal(spec: SymbolSpec, levels: Levels, quote: Readonly<Prices>): Refusal | null {
  const { type, price, stoplimit, sl, tp } = levels;
  return firstRefusal(
    () => priceRefusal(spec, levels, quote),
    () => bookRefusal(levels, quote),
    () => stopsRefusal(spec, isBuyOrder(type), isStopLimit(type) ? stoplimit : price, sl, tp),
  );
}

/** The right side of the market, at least the stops level away from it. */
function priceRefusal(spec: SymbolSpec, { type, price, stoplimit }: Levels, quote: Readonly<Prices>): Refusal | null {
  const invalid = refusal(Retcode.INVALID_PRICE);
  if (price <= 0 || !isPrice(spec, price) || !isPrice(spec, stoplimit)) return invalid;
  const isFar = (distance: number): boolean => isFarEnough(spec, distance, spec.trade_stops_level);
  switch (type) {
    case OrderType.BUY_LIMIT:
      // On an exchange a limit through the market is an order like any other, and fills at once.
      return isOnExchange(spec) || isFar(difference(quote.ask, price)) ? null : invalid;
    case OrderType.SELL_LIMIT:
      return isOnExchange(spec) || isFar(difference(price, quote.bid)) ? null : invalid;
    case OrderType.BUY_STOP:
      return isFar(difference(price, quote.ask)) ? null : invalid;
    case OrderType.SELL_STOP:
      return isFar(difference(quote.bid, price)) ? null : invalid;
    case OrderType.BUY_STOP_LIMIT:
      return isFar(difference(price, quote.ask)) && stoplimit > 0 && stoplimit <= price ? null : invalid;
    case OrderType.SELL_STOP_LIMIT:
      return isFar(difference(quote.bid, price)) && stoplimit >= price ? null : invalid;
    default:
      return refusal(Retcode.INVALID);
  }
}

/** Book-or-cancel never takes liquidity: a limit that would fill at once is not such an order. */
function bookRefusal({ type, type_filling: filling, price }: Levels, { bid, ask }: Readonly<Prices>): Refusal | null {
  if (filling !== OrderFilling.BOC) return null;
  const takes = (type === OrderType.BUY_LIMIT && price >= ask) || (type === OrderType.SELL_LIMIT && price <= bid);
  return takes ? refusal(Retcode.INVALID_PRICE) : null;
}

function isOnExchange(spec: SymbolSpec): boolean {
  return spec.trade_exemode === SymbolExecution.EXCHANGE;
}

/** Whether a change would leave a pending order as it is. */
export function isUnchanged(
  order: Pick<ActiveOrder, 'type' | 'price_open' | 'price_stoplimit' | 'sl' | 'tp' | 'type_time' | 'time_expiration'>,
  request: TradeRequest,
): boolean {
  return (
    order.price_open === request.price &&
    order.sl === request.sl &&
    order.tp === request.tp &&
    (!isStopLimit(order.type) || order.price_stoplimit === request.stoplimit) &&
    order.type_time === request.type_time &&
    (request.type_time < OrderTime.SPECIFIED || order.time_expiration === request.expiration)
  );
}
