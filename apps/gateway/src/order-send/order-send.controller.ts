import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { TradeEndpoint } from '../http/endpoint.decorators';
import { ValidBody } from '../http/valid-body.decorator';
import { orderErrors } from '../orders/order.response';
import { CurrentAttempt } from '../trade-journal/current-attempt';
import type { TradeAnswer } from '../trade-journal/trade-answer';
import { TradeAttempt } from '../trade-journal/trade-attempt';
import { OrderSendRequest } from './order-send.request';
import { OrderSendErrorResponse, OrderSendResponse } from './order-send.response';
import { OrderSendService } from './order-send.service';

@ApiTags('order')
@Controller()
export class OrderSendController {
  constructor(private readonly orders: OrderSendService) {}

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
}
