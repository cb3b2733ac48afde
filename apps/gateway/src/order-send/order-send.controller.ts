import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { bodyErrors, ReadEndpoint, TradeEndpoint } from '../http/endpoint.decorators';
import { ValidBody } from '../http/valid-body.decorator';
import { OrderCheckResponse, orderCheckErrors } from '../orders/calculator.response';
import { orderCheckAnswer } from '../orders/order-check-answer';
import { orderErrors } from '../orders/order.response';
import { CurrentAttempt } from '../trade-journal/current-attempt';
import type { TradeAnswer } from '../trade-journal/trade-answer';
import { TradeAttempt } from '../trade-journal/trade-attempt';
import { OrderCheckService } from './order-check.service';
import { OrderSendRequest } from './order-send.request';
import { OrderSendErrorResponse, OrderSendResponse } from './order-send.response';
import { OrderSendService } from './order-send.service';

@ApiTags('order')
@Controller()
export class OrderSendController {
  constructor(
    private readonly orders: OrderSendService,
    private readonly checks: OrderCheckService,
  ) {}

  @Post('order_send')
  @TradeEndpoint({
    killGated: true,
    addsRisk: true,
    byAction: true,
    summary: "Send a trade request in the terminal's own fields",
    description:
      'Does what the routes for orders and positions do, with their checks and limits, and closes a position by an opposite one. ' +
      'The kill switch lets REMOVE pass.',
    response: OrderSendResponse,
    errors: orderErrors,
    errorBodies: { 422: OrderSendErrorResponse, 502: OrderSendErrorResponse },
  })
  sendTradeRequest(@CurrentAttempt() attempt: TradeAttempt, @ValidBody() body: OrderSendRequest): Promise<TradeAnswer> {
    return this.orders.send(attempt, body);
  }

  @Post('order_send/check')
  @ReadEndpoint({
    summary: "Check a trade request in the terminal's own fields, without sending it",
    description:
      'What POST /order_send would send for the same body is shown to the terminal: an order, a close, new levels, a change or a ' +
      'cancellation. A refusal by the terminal is `valid: false` with its return code.',
    response: OrderCheckResponse,
    errors: [...orderCheckErrors, 'price_deviation_exceeded', ...bodyErrors],
  })
  async checkTradeRequest(@ValidBody() body: OrderSendRequest): Promise<OrderCheckResponse> {
    return orderCheckAnswer(await this.checks.check(body));
  }
}
