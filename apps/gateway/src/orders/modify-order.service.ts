import { Injectable } from '@nestjs/common';
import { mutation, validationError } from '@libs/envelope';
import {
  OrderTime,
  TradeAction,
  tradeRequest,
  type TradeOrder,
  type TradeRequest,
  samePrice,
} from '@libs/terminal-client';
import { expirationAllowed } from '../pre-trade/expiration-allowed';
import { levelsSide } from '../pre-trade/levels-side';
import { isStopLimitOrder } from '../pre-trade/market-price';
import { pendingPriceSide } from '../pre-trade/pending-price-side';
import { priceOnGrid } from '../pre-trade/price-on-grid';
import { priceBand } from '../pre-trade/price-band';
import type { ClientOrderType, Market, ProposedOrder } from '../pre-trade/proposed-order';
import { symbolAllowed } from '../pre-trade/symbol-allowed';
import { ServerTime } from '../server-time/server-time';
import { TerminalAccess } from '../terminal/terminal-access';
import { wasAlreadySo } from '../trade-journal/classify-outcome';
import { answered, type TradeAnswer } from '../trade-journal/trade-answer';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { TradeSender } from '../trade-journal/trade-sender';
import { expirationMs } from './expiration.validator';
import { newLevels } from './levels.request';
import { LiveOrders } from './live-orders';
import { MarketReader } from './market-reader';
import { requireOrderChange, type ModifyOrderRequest } from './modify-order.request';
import type { ModifyOrderResponse } from './order-change.response';
import { requireDone } from './send-errors';
import { sendResultBody } from './send-result.response';
import { serverExpiration } from './server-expiration';

/** Changes a pending order; what is omitted stays as it is. */
@Injectable()
export class ModifyOrderService {
  constructor(
    private readonly orders: LiveOrders,
    private readonly reader: MarketReader,
    private readonly terminal: TerminalAccess,
    private readonly serverTime: ServerTime,
    private readonly sender: TradeSender,
  ) {}

  async modify(attempt: TradeAttempt, ticket: number, body: ModifyOrderRequest): Promise<TradeAnswer> {
    requireOrderChange(body);
    await this.terminal.connected();
    const order = await this.orders.require(ticket);
    const notListed = symbolAllowed(order, this.reader.limits);
    if (notListed) throw notListed;
    const market = await this.reader.market(order.symbol);
    const request = await this.draft(order, body, market);
    this.requireFit(order, body, request, market);
    const { outcome } = await this.sender.send(attempt, {
      purpose: 'modify_order',
      request,
      serverTimeMsc: order.time_setup_msc,
      positionId: 0,
      positionVolume: 0,
      standing: {
        sl: order.sl,
        tp: order.tp,
        price: order.price_open,
        stoplimit: order.price_stoplimit,
        expiration: order.time_expiration,
      },
    });
    const result = requireDone(outcome, attempt.clientOrderId);
    const live = await this.orders.peek(ticket);
    const noChanges = wasAlreadySo('modify_order', result.retcode);
    const inForce = live ?? { ...request, price_open: request.price, price_stoplimit: request.stoplimit };
    const answer: ModifyOrderResponse = mutation(
      noChanges ? `order ${ticket} was so already` : `order ${ticket} changed`,
      sendResultBody(result),
      {
        ticket,
        price: inForce.price_open,
        stoplimit: inForce.price_stoplimit || null,
        sl: inForce.sl || null,
        tp: inForce.tp || null,
        time_expiration_utc: this.serverTime.utcIso(live?.time_expiration ?? request.expiration),
        sl_confirmed: live && samePrice(live.sl, request.sl, market.info),
        tp_confirmed: live && samePrice(live.tp, request.tp, market.info),
        no_changes: noChanges,
        client_order_id: attempt.clientOrderId,
      },
    );
    return answered(answer);
  }

  /** Everything is sent: the terminal takes a 0 for "remove", and an omitted time for "good till cancelled". */
  private async draft(order: TradeOrder, body: ModifyOrderRequest, { info }: Market): Promise<TradeRequest> {
    const expiration = await serverExpiration(this.serverTime, order.symbol, asked(body));
    const keepsTime = expiration === null && body.clear_expiration !== true;
    return tradeRequest({
      action: TradeAction.MODIFY,
      order: order.ticket,
      symbol: order.symbol,
      magic: order.magic,
      type: order.type,
      type_filling: order.type_filling,
      volume: order.volume_current,
      price: body.price == null ? order.price_open : priceOnGrid('price', body.price, info),
      stoplimit: body.stoplimit == null ? order.price_stoplimit : priceOnGrid('stoplimit', body.stoplimit, info),
      ...newLevels(order, body, info),
      type_time: keepsTime ? order.type_time : expiration === null ? OrderTime.GTC : OrderTime.SPECIFIED,
      expiration: keepsTime ? order.time_expiration : (expiration ?? 0),
    });
  }

  /** Only what changes is judged: a price that stands already may be closer than a new one could be set. */
  private requireFit(order: TradeOrder, body: ModifyOrderRequest, request: TradeRequest, market: Market): void {
    if (body.stoplimit != null && !isStopLimitOrder(order.type)) {
      throw validationError({ field: 'stoplimit', problem: 'is for stop-limit orders only' });
    }
    const priceChanges = body.price != null || body.stoplimit != null;
    const proposed: ProposedOrder = {
      symbol: order.symbol,
      type: order.type as ClientOrderType,
      volume: order.volume_current,
      price: request.price,
      stoplimit: isStopLimitOrder(order.type) ? request.stoplimit : null,
      sl: (priceChanges || body.sl != null) && request.sl > 0 ? request.sl : null,
      tp: (priceChanges || body.tp != null) && request.tp > 0 ? request.tp : null,
      deviation: 0,
      filling: null,
      expirationMs: asked(body),
    };
    const refusal =
      (priceChanges ? (priceBand(proposed, market, this.reader.limits) ?? pendingPriceSide(proposed, market)) : null) ??
      levelsSide(proposed, market) ??
      expirationAllowed(proposed, market);
    if (refusal) throw refusal;
  }
}

function asked(body: ModifyOrderRequest): number | null {
  return body.expiration == null ? null : expirationMs(body.expiration);
}
