import { Injectable } from '@nestjs/common';
import { mutation } from '@libs/envelope';
import { cancelDraft } from '@libs/order-drafts';
import type { OrderSendResult, TradeOrder } from '@libs/terminal-client';
import { TerminalAccess } from '../terminal/terminal-access';
import { answered, type TradeAnswer } from '../trade-journal/trade-answer';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { TradeSender } from '../trade-journal/trade-sender';
import { LiveOrders } from './live-orders';
import type { OrderCancelledResponse } from './order-change.response';
import { requireDone } from './send-errors';
import { sendResultBody } from './send-result.response';

/** Cancels a pending order. It reduces risk, so neither the kill switch nor a full disk prevents it. */
@Injectable()
export class CancelOrderService {
  constructor(
    private readonly orders: LiveOrders,
    private readonly terminal: TerminalAccess,
    private readonly sender: TradeSender,
  ) {}

  async cancel(attempt: TradeAttempt, ticket: number): Promise<TradeAnswer<OrderCancelledResponse>> {
    await this.terminal.connected();
    const order = await this.orders.requireForExit(ticket);
    const result = await this.cancelLive(attempt, order);
    return answered(cancelAnswer(ticket, result, attempt.clientOrderId));
  }

  /** Cancels an order that was just read. */
  async cancelLive(attempt: TradeAttempt, order: TradeOrder): Promise<OrderSendResult> {
    const { outcome } = await this.sender.send(attempt, {
      purpose: 'cancel',
      request: cancelDraft(order),
      serverTimeMsc: order.time_setup_msc,
      positionId: 0,
      positionVolume: 0,
      openedMsc: order.time_setup_msc,
    });
    return requireDone(outcome, attempt.clientOrderId, { obstacle: this.terminal.tradingObstacle });
  }
}

/** The 200 of DELETE /orders/{ticket}. */
export function cancelAnswer(
  ticket: number,
  result: OrderSendResult,
  clientOrderId: string | null,
): OrderCancelledResponse {
  return mutation(`order ${ticket} cancelled`, sendResultBody(result), {
    ticket,
    state: 'cancelled' as const,
    client_order_id: clientOrderId,
  });
}
