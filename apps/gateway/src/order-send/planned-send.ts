import { fieldsRefused, isMarketOrder, isStopLimitOrder, OrderRefusal } from '@libs/order-drafts';
import { OrderFilling, OrderTime, OrderType, PositionType, TradeAction } from '@libs/terminal-client';
import type { LevelsRequest } from '../orders/levels.request';
import type { ModifyOrderRequest } from '../orders/modify-order.request';
import { orderTypeWords, type OrderRequest, type TimeType } from '../orders/order.request';
import type { CloseByOrder } from '../positions/close-by.service';
import type { CloseOrder } from '../positions/close-position.service';
import type { OrderSendRequest } from './order-send.request';

/** The call of a trading service that a request in the terminal's form asks for. */
export type PlannedSend =
  /** @param expiration server seconds; null: good till cancelled */
  | { readonly kind: 'order'; readonly order: OrderRequest & TimeType; readonly expiration: number | null }
  | { readonly kind: 'close'; readonly order: CloseOrder }
  | { readonly kind: 'close_by'; readonly order: CloseByOrder }
  /** Without a ticket, of the position that the symbol has on an account that nets. */
  | {
      readonly kind: 'levels';
      readonly ticket: number | null;
      readonly symbol: string | null;
      readonly change: LevelsRequest;
    }
  | {
      readonly kind: 'modify';
      readonly ticket: number;
      readonly change: ModifyOrderRequest & TimeType;
      readonly expiration: number | null;
    }
  | { readonly kind: 'cancel'; readonly ticket: number };

type Terms = Required<Omit<OrderSendRequest, 'client_order_id'>>;

/** The same, with what is omitted as the terminal takes it. */
function termsOf(body: OrderSendRequest): Terms {
  return {
    action: body.action,
    magic: body.magic ?? 0,
    order: body.order ?? 0,
    symbol: body.symbol ?? '',
    volume: body.volume ?? 0,
    price: body.price ?? 0,
    stoplimit: body.stoplimit ?? 0,
    sl: body.sl ?? 0,
    tp: body.tp ?? 0,
    deviation: body.deviation ?? 0,
    type: body.type ?? OrderType.BUY,
    type_filling: body.type_filling ?? OrderFilling.FOK,
    type_time: body.type_time ?? OrderTime.GTC,
    expiration: body.expiration ?? 0,
    comment: body.comment ?? '',
    position: body.position ?? 0,
    position_by: body.position_by ?? 0,
  };
}

/** What to call for a request, or a refusal that names every field that cannot be sent so. Nothing is guessed. */
export function plannedSend(body: OrderSendRequest): PlannedSend | OrderRefusal {
  const terms = termsOf(body);
  const problems = problemsOf(terms);
  if (problems.length > 0) return fieldsRefused(problems);
  const { action, order: ticket, position, position_by: oppositeTicket, symbol, comment } = terms;
  switch (action) {
    case TradeAction.DEAL:
      return position > 0 ? closeOf(terms) : orderOf(terms);
    case TradeAction.PENDING:
      return orderOf(terms);
    case TradeAction.SLTP:
      return { kind: 'levels', ticket: position || null, symbol: symbol || null, change: levelsOf(terms) };
    case TradeAction.MODIFY: {
      const expiration = expirationOf(terms);
      const clears = expiration === null ? { clear_expiration: true } : {};
      const limit = terms.stoplimit > 0 ? { stoplimit: terms.stoplimit } : {};
      const change = { price: terms.price, ...limit, ...levelsOf(terms), ...clears, ...timeTypeOf(terms) };
      return { kind: 'modify', ticket, change, expiration };
    }
    case TradeAction.REMOVE:
      return { kind: 'cancel', ticket };
    case TradeAction.CLOSE_BY: {
      const order = { ticket: position, oppositeTicket, symbol: symbol || null, comment: comment || null };
      return { kind: 'close_by', order };
    }
  }
}

function orderOf(terms: Terms): PlannedSend | OrderRefusal {
  const type = orderTypeWords[terms.type];
  const filling = fillingOf(terms);
  if (type === undefined || filling === null) return fieldsRefused([{ field: 'type', problem: 'is not known' }]);
  const { symbol, volume, sl, tp, deviation, magic, price, stoplimit, comment } = terms;
  const isMarket = isMarketOrder(terms.type);
  const order: OrderRequest & TimeType = {
    symbol,
    volume,
    type,
    sl,
    tp,
    deviation,
    magic,
    type_filling: filling,
    ...(price > 0 ? { price } : {}),
    ...(isStopLimitOrder(terms.type) ? { stoplimit } : {}),
    ...(comment === '' ? {} : { comment }),
    ...(isMarket ? {} : timeTypeOf(terms)),
  };
  return { kind: 'order', order, expiration: isMarket ? null : expirationOf(terms) };
}

function closeOf(terms: Terms): PlannedSend {
  const { position: ticket, symbol, volume, price, deviation, comment } = terms;
  const type = terms.type === OrderType.BUY ? PositionType.SELL : PositionType.BUY;
  const order: CloseOrder = {
    ticket,
    volume,
    volumeField: 'volume',
    partOnly: false,
    deviation,
    comment: comment || null,
    symbol: symbol || null,
    type,
    price: price || null,
    filling: fillingOf(terms),
  };
  return { kind: 'close', order };
}

/** Both levels, as the terminal takes them: 0 removes one. */
function levelsOf({ sl, tp }: Terms): LevelsRequest {
  return { ...(sl > 0 ? { sl } : { clear_sl: true }), ...(tp > 0 ? { tp } : { clear_tp: true }) };
}

function expirationOf({ type_time, expiration }: Terms): number | null {
  return type_time === OrderTime.SPECIFIED || type_time === OrderTime.SPECIFIED_DAY ? expiration : null;
}

function timeTypeOf({ type_time }: Terms): TimeType {
  const timeType = [OrderTime.DAY, OrderTime.SPECIFIED_DAY].find((word) => word === type_time);
  return timeType === undefined ? {} : { timeType };
}

function fillingOf({ type_filling }: Terms): OrderFilling | null {
  return Object.values(OrderFilling).find((filling) => filling === type_filling) ?? null;
}

interface Problem {
  readonly field: string;
  readonly problem: string;
}

function problemsOf(terms: Terms): Problem[] {
  switch (terms.action) {
    case TradeAction.DEAL:
      return [
        ...unless(
          isMarketOrder(terms.type),
          'type',
          'of a DEAL is BUY 0 or SELL 1; send a pending order with action 5',
        ),
        ...unless(terms.position > 0 || terms.symbol !== '', 'symbol', 'is missing'),
        ...unless(terms.volume > 0, 'volume', 'must be above 0'),
      ];
    case TradeAction.PENDING:
      return [
        ...unless(!isMarketOrder(terms.type), 'type', 'of a PENDING is 2 to 7; send a market order with action 1'),
        ...unless(terms.symbol !== '', 'symbol', 'is missing'),
        ...unless(terms.price > 0, 'price', 'of a pending order must be above 0'),
        ...unless(
          terms.stoplimit > 0 || !isStopLimitOrder(terms.type),
          'stoplimit',
          'must be above 0 for a stop-limit order',
        ),
        ...unless(terms.volume > 0, 'volume', 'must be above 0'),
        ...ofTime(terms),
      ];
    case TradeAction.SLTP:
      return unless(
        terms.position > 0 || terms.symbol !== '',
        'position',
        'is missing: give the ticket of the position',
      );
    case TradeAction.MODIFY:
      return [
        ...unless(terms.order > 0, 'order', 'is missing: give the ticket of the pending order'),
        ...unless(terms.price > 0, 'price', 'must be above 0: give the price of the order also if it stays'),
        ...ofTime(terms),
      ];
    case TradeAction.REMOVE:
      return unless(terms.order > 0, 'order', 'is missing: give the ticket of the pending order');
    case TradeAction.CLOSE_BY:
      return [
        ...unless(terms.position > 0, 'position', 'is missing: give the ticket of the position'),
        ...unless(terms.position_by > 0, 'position_by', 'is missing: give the ticket of the opposite position'),
      ];
  }
}

function ofTime(terms: Terms): Problem[] {
  const problem = 'is missing: SPECIFIED 2 and SPECIFIED_DAY 3 need the time, in seconds of the server';
  return unless(expirationOf(terms) !== 0, 'expiration', problem);
}

function unless(holds: boolean, field: string, problem: string): Problem[] {
  return holds ? [] : [{ field, problem }];
}
