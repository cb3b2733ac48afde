import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { CancelOrderService } from '../orders/cancel-order.service';
import { ModifyOrderService } from '../orders/modify-order.service';
import { PlaceOrderService } from '../orders/place-order.service';
import { closeAnswer } from '../positions/close-answer';
import { CloseByService } from '../positions/close-by.service';
import { ClosePositionService } from '../positions/close-position.service';
import { ModifyLevelsService } from '../positions/modify-levels.service';
import { unlessRefused } from '../pre-trade/refusal-error';
import { answered, type TradeAnswer } from '../trade-journal/trade-answer';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { orderSendAnswer, withTerminalResult, type ServiceAnswer } from './order-send-answer';
import type { OrderSendRequest } from './order-send.request';
import type { OrderSendResponse } from './order-send.response';
import { OrderSendTerms } from './order-send-terms';
import { plannedSend, type PlannedSend } from './planned-send';

/** Carries out a request in the terminal's form with the services of the other routes, and answers in that form. */
@Injectable()
export class OrderSendService {
  constructor(
    private readonly orders: PlaceOrderService,
    private readonly modifying: ModifyOrderService,
    private readonly cancelling: CancelOrderService,
    private readonly closing: ClosePositionService,
    private readonly closingBy: CloseByService,
    private readonly levels: ModifyLevelsService,
    private readonly terms: OrderSendTerms,
  ) {}

  async send(attempt: TradeAttempt, body: OrderSendRequest): Promise<TradeAnswer<OrderSendResponse>> {
    try {
      const answer = await this.perform(attempt, unlessRefused(plannedSend(body)));
      const sent = [...attempt.intents.values()].at(-1);
      if (!sent) throw new Error('a request was carried out without a send');
      return answered(orderSendAnswer(answer, sent.request));
    } catch (error) {
      throw error instanceof ApiError ? withTerminalResult(error, attempt) : error;
    }
  }

  private async perform(attempt: TradeAttempt, planned: PlannedSend): Promise<ServiceAnswer> {
    switch (planned.kind) {
      case 'order': {
        const order = { ...planned.order, ...this.terms.expiration(planned.expiration) };
        return (await this.orders.place(attempt, order)).body;
      }
      case 'close':
        return closeAnswer(await this.closing.close(attempt, planned.order), attempt.clientOrderId);
      case 'close_by':
        return (await this.closingBy.close(attempt, planned.order)).body;
      case 'levels': {
        const position = await this.terms.positionOf(planned.ticket, planned.symbol);
        return (await this.levels.modify(attempt, { ...planned.change, position })).body;
      }
      case 'modify': {
        const change = { ...planned.change, ...this.terms.expiration(planned.expiration) };
        return (await this.modifying.modify(attempt, planned.ticket, change)).body;
      }
      case 'cancel':
        return (await this.cancelling.cancel(attempt, planned.ticket)).body;
    }
  }
}
