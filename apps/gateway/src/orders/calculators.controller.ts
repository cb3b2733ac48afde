import { Controller, Post } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { ApiError, single } from '@libs/envelope';
import { marketPrice, terminalComment, tryFillings } from '@libs/order-drafts';
import { OrderType, isBuyOrder } from '@libs/terminal-client';
import { bodyErrors, ReadEndpoint } from '../http/endpoint.decorators';
import { ValidBody } from '../http/valid-body.decorator';
import { TerminalAccess } from '../terminal/terminal-access';
import { CalcMarginRequest, CalcProfitRequest, OrderCheckRequest } from './calculator.request';
import { CalcMarginResponse, CalcProfitResponse, OrderCheckResponse, orderCheckErrors } from './calculator.response';
import { MarketReader } from './market-reader';
import { orderCheckAnswer } from './order-check-answer';
import { OrderPreparation } from './order-preparation.service';
import { orderExamples } from './order.examples';

/** Checks and calculations for orders; none of them sends an order. */
@ApiTags('order')
@Controller()
export class CalculatorsController {
  constructor(
    private readonly preparation: OrderPreparation,
    private readonly reader: MarketReader,
    private readonly terminal: TerminalAccess,
  ) {}

  @Post('order_check')
  @ReadEndpoint({
    summary: 'Check an order with the terminal, without sending it',
    response: OrderCheckResponse,
    errors: [...orderCheckErrors, ...bodyErrors],
  })
  @ApiBody({ type: OrderCheckRequest, examples: orderExamples })
  async checkOrder(@ValidBody() body: OrderCheckRequest): Promise<OrderCheckResponse> {
    const marks = { magic: body.magic ?? 0, comment: terminalComment(body.comment ?? '') };
    const { drafts } = await this.preparation.prepareForCheck(body, marks);
    const check = await tryFillings(
      drafts,
      (draft) => this.preparation.check(draft),
      ({ retcode }) => retcode,
    );
    return orderCheckAnswer(check);
  }

  @Post('order_calc_margin')
  @ReadEndpoint({
    summary: 'The margin that an order requires',
    response: CalcMarginResponse,
    errors: ['validation_error', 'not_found', ...bodyErrors],
  })
  async calculateMargin(@ValidBody() body: CalcMarginRequest): Promise<CalcMarginResponse> {
    const type = OrderType[body.type];
    // A terminal that takes one call at a time is asked for the symbol and its quote only where they are needed.
    const atPrice = isGiven(body.price) ? await this.marginAt(body, body.price) : null;
    const margin = atPrice ?? (await this.marginOfMarket(body, type));
    if (margin === null) throw notComputed('margin');
    return single({ margin });
  }

  @Post('order_calc_profit')
  @ReadEndpoint({
    summary: 'The profit of a trade between two prices',
    response: CalcProfitResponse,
    errors: ['validation_error', 'not_found', ...bodyErrors],
  })
  async calculateProfit(@ValidBody() body: CalcProfitRequest): Promise<CalcProfitResponse> {
    const { symbol, volume, price_open, price_close } = body;
    await this.reader.market(symbol);
    const profit = await this.terminal.read((terminal) =>
      terminal.orderCalcProfit(OrderType[body.type], symbol, volume, price_open, price_close),
    );
    if (profit === null) throw notComputed('profit');
    return single({ profit });
  }

  /** @throws ApiError not_found for an unknown symbol */
  private async marginOfMarket(body: CalcMarginRequest, type: OrderType): Promise<number | null> {
    const { tick } = await this.reader.market(body.symbol);
    return this.marginAt(body, body.price ?? marketPrice(type, tick));
  }

  private marginAt({ type, symbol, volume }: CalcMarginRequest, price: number): Promise<number | null> {
    const side = isBuyOrder(OrderType[type]) ? OrderType.BUY : OrderType.SELL;
    return this.terminal.read((terminal) => terminal.orderCalcMargin(side, symbol, volume, price));
  }
}

function isGiven(price: number | null | undefined): price is number {
  return price !== null && price !== undefined;
}

function notComputed(what: string): ApiError {
  return new ApiError('terminal_unavailable', `the terminal could not compute the ${what}`);
}
