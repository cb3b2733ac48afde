import { Injectable } from '@nestjs/common';
import { ApiError, validationError } from '@libs/envelope';
import { noOpenPositionOf } from '@libs/order-drafts';
import { CancelOrderService } from '../orders/cancel-order.service';
import { ModifyOrderService } from '../orders/modify-order.service';
import { PlaceOrderService } from '../orders/place-order.service';
import { closeAnswer } from '../positions/close-answer';
import { CloseByService } from '../positions/close-by.service';
import { ClosePositionService } from '../positions/close-position.service';
import { LivePositions } from '../positions/live-positions';
import { ModifyLevelsService } from '../positions/modify-levels.service';
import { unlessRefused } from '../pre-trade/refusal-error';
import { ServerTime } from '../server-time/server-time';
import { TerminalAccess } from '../terminal/terminal-access';
import { answered, type TradeAnswer } from '../trade-journal/trade-answer';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { orderSendAnswer, withTerminalResult, type ServiceAnswer } from './order-send-answer';
import type { OrderSendRequest } from './order-send.request';
import type { OrderSendResponse } from './order-send.response';
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
    private readonly positions: LivePositions,
    private readonly terminal: TerminalAccess,
    private readonly serverTime: ServerTime,
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
        const order = { ...planned.order, ...this.expiration(planned.expiration) };
        return (await this.orders.place(attempt, order)).body;
      }
      case 'close':
        return closeAnswer(await this.closing.close(attempt, planned.order), attempt.clientOrderId);
      case 'close_by':
        return (await this.closingBy.close(attempt, planned.order)).body;
      case 'levels': {
        const position = await this.positionOf(planned.ticket, planned.symbol);
        return (await this.levels.modify(attempt, { ...planned.change, position })).body;
      }
      case 'modify': {
        const change = { ...planned.change, ...this.expiration(planned.expiration) };
        return (await this.modifying.modify(attempt, planned.ticket, change)).body;
      }
      case 'cancel':
        return (await this.cancelling.cancel(attempt, planned.ticket)).body;
    }
  }

  /** Services take instants in UTC. */
  private expiration(serverSeconds: number | null): { readonly expiration?: string } {
    if (serverSeconds === null) return {};
    const expiration = this.serverTime.utcIso(serverSeconds);
    if (expiration !== null) return { expiration };
    const message = 'the expiration cannot be converted: the broker server time is unknown';
    throw new ApiError('server_time_unavailable', message, { details: { reason: 'unknown' } });
  }

  /** The ticket of the position whose levels are changed. A symbol that is also given must be its own. */
  private async positionOf(ticket: number | null, symbol: string | null): Promise<number> {
    await this.terminal.connected();
    if (ticket !== null) {
      const position = symbol === null ? null : await this.positions.require(ticket);
      if (position === null || position.symbol === symbol) return ticket;
      throw validationError({ field: 'symbol', problem: `position ${ticket} is of ${position.symbol}` });
    }
    if (this.terminal.isHedging) {
      const problem = 'is missing: on a hedging account give the ticket of the position';
      throw validationError({ field: 'position', problem });
    }
    const open = (await this.positions.all()).find((position) => position.symbol === symbol);
    if (open) return open.ticket;
    throw this.terminal.unexplained ?? new ApiError('not_found', noOpenPositionOf(symbol ?? ''));
  }
}
