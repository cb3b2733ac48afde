import { Controller, Post } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { TradeEndpoint } from '../http/endpoint.decorators';
import { ValidBody } from '../http/valid-body.decorator';
import { CurrentAttempt } from '../trade-journal/current-attempt';
import type { TradeAnswer } from '../trade-journal/trade-answer';
import { TradeAttempt } from '../trade-journal/trade-attempt';
import { orderExamples } from './order.examples';
import { OrderRequest } from './order.request';
import { orderErrors, OrderResponse } from './order.response';
import { PlaceOrderService } from './place-order.service';

@ApiTags('order')
@Controller()
export class PlaceOrderController {
  constructor(private readonly orders: PlaceOrderService) {}

  @Post('order')
  @TradeEndpoint({
    killGated: true,
    addsRisk: true,
    summary: 'Place a market or pending order',
    response: OrderResponse,
    errors: orderErrors,
  })
  @ApiBody({ type: OrderRequest, examples: orderExamples })
  placeOrder(@CurrentAttempt() attempt: TradeAttempt, @ValidBody() body: OrderRequest): Promise<TradeAnswer> {
    return this.orders.place(attempt, body);
  }
}
