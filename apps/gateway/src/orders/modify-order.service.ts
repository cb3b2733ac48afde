import { Injectable } from '@nestjs/common';
import { mutation } from '@libs/envelope';
import {
  changeDraft,
  changeRefusal,
  isStopLimitOrder,
  symbolAllowed,
  wasAlreadySo,
  type OrderChange,
} from '@libs/order-drafts';
import { samePrice, type TradeOrder } from '@libs/terminal-client';
import { unlessRefused } from '../pre-trade/refusal-error';
import { ServerTime } from '../server-time/server-time';
import { TerminalAccess } from '../terminal/terminal-access';
import { answered, type TradeAnswer } from '../trade-journal/trade-answer';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { TradeSender, type SendGuard } from '../trade-journal/trade-sender';
import { ChangedMeanwhile } from '../trade-journal/changed-meanwhile.error';
import { ChangeTurns } from './change-turns';
import { parseInstant } from '../server-time/utc-instant';
import { isShownSince, KeptValues, valuesOf, type ChangeableField } from './kept-values';
import { levelsKeptBy } from './levels.request';
import { LiveOrders } from './live-orders';
import { MarketReader } from './market-reader';
import type { TimeType } from './order.request';
import { requireOrderChange, type ModifyOrderRequest } from './modify-order.request';
import type { OrderModifiedResponse } from './order-change.response';
import { requireDone } from './send-errors';
import { sendResultBody } from './send-result.response';
import { serverExpiration } from './server-expiration';

/** Changes a pending order; omitted fields are kept. */
@Injectable()
export class ModifyOrderService {
  constructor(
    private readonly orders: LiveOrders,
    private readonly reader: MarketReader,
    private readonly terminal: TerminalAccess,
    private readonly serverTime: ServerTime,
    private readonly sender: TradeSender,
    private readonly turns: ChangeTurns,
    private readonly kept: KeptValues,
  ) {}

  async modify(
    attempt: TradeAttempt,
    ticket: number,
    body: ModifyOrderRequest & TimeType,
  ): Promise<TradeAnswer<OrderModifiedResponse>> {
    requireOrderChange(body);
    await this.terminal.connected();
    return this.turns.run(ticket, () => this.change(attempt, ticket, body));
  }

  private async change(
    attempt: TradeAttempt,
    ticket: number,
    body: ModifyOrderRequest & TimeType,
  ): Promise<TradeAnswer<OrderModifiedResponse>> {
    const order = await this.orders.require(ticket);
    const standing = valuesOf(order);
    this.kept.require(`order ${ticket}`, ticket, standing, keptBy(body), null);
    const { limits } = this.reader;
    unlessRefused(symbolAllowed(order, limits));
    const market = await this.reader.market(order.symbol);
    const wanted: OrderChange = { ...body, expirationMs: asked(body) };
    const expiration = await serverExpiration(this.serverTime, order.symbol, wanted.expirationMs);
    const request = unlessRefused(changeDraft(order, wanted, market.info, expiration));
    unlessRefused(changeRefusal(order, wanted, request, market, limits));
    const intent = {
      purpose: 'modify_order',
      request,
      serverTimeMsc: order.time_setup_msc,
      positionId: 0,
      positionVolume: 0,
      openedMsc: order.time_setup_msc,
      standing,
    } as const;
    const { outcome } = await this.sender.send(attempt, intent, this.guard(order));
    const result = requireDone(outcome, attempt.clientOrderId, {
      info: market.info,
      obstacle: this.terminal.tradingObstacle,
    });
    const read = (await this.orders.peek(ticket)) ?? (await this.successor(ticket, result.order));
    const live = read && isShownSince(valuesOf(read), intent) ? read : null;
    const noChanges = wasAlreadySo('modify_order', result.retcode);
    const inForce = live ?? { ...request, price_open: request.price, price_stoplimit: request.stoplimit };
    const answer: OrderModifiedResponse = mutation(
      noChanges ? `order ${ticket} unchanged: already as requested` : orderChanged(ticket, live?.ticket),
      sendResultBody(result),
      {
        ticket: live?.ticket ?? ticket,
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

  /** A stop-limit order becomes a limit order with another price when its stop is touched, so it is read last. */
  private guard({ ticket, type, price_open: price, price_stoplimit: limit }: TradeOrder): SendGuard {
    if (!isStopLimitOrder(type)) return {};
    const recheck = async (): Promise<void> => {
      const now = await this.orders.require(ticket);
      if (now.type === type && now.price_open === price && now.price_stoplimit === limit) return;
      throw new ChangedMeanwhile(`order ${ticket}`);
    };
    return { recheck };
  }

  /** The order by which a broker has replaced the one that it changed. */
  private async successor(ticket: number, named: number): Promise<TradeOrder | null> {
    return named > 0 && named !== ticket ? this.orders.peek(named) : null;
  }
}

/** @param now the order that the broker has now */
export function orderChanged(ticket: number, now = ticket): string {
  return now === ticket ? `order ${ticket} changed` : `order ${ticket} changed: the broker replaced it by order ${now}`;
}

/** What a change leaves as it is. */
function keptBy(body: ModifyOrderRequest): ChangeableField[] {
  const { price, stoplimit, expiration, clear_expiration: clears } = body;
  return [
    ...levelsKeptBy(body),
    ...(price == null ? (['price'] as const) : []),
    ...(stoplimit == null ? (['stoplimit'] as const) : []),
    ...(expiration == null && clears !== true ? (['expiration', 'type_time'] as const) : []),
  ];
}

function asked(body: ModifyOrderRequest): number | null {
  return body.expiration == null ? null : parseInstant(body.expiration);
}
