import { Controller, Post } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { ApiError, single } from '@libs/envelope';
import { OrderType, Retcode, isBuyOrder, retcodeName } from '@libs/terminal-client';
import { ReadEndpoint } from '../http/endpoint.decorators';
import { ValidBody } from '../http/valid-body.decorator';
import { marketPrice } from '../pre-trade/market-price';
import { TerminalAccess } from '../terminal/terminal-access';
import { CalcMarginRequest, CalcProfitRequest, OrderCheckRequest } from './calculator.request';
import { CalcMarginResponse, CalcProfitResponse, OrderCheckResponse } from './calculator.response';
import { MarketReader } from './market-reader';
import { terminalComment } from './order-draft';
import { OrderPreparation } from './order-preparation.service';
import { orderExamples } from './order.examples';
import { proposedOrderOf } from './proposed-order-of';

/** Questions about orders; nothing here is ever sent. */
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
    summary: 'What the terminal would say to an order, without sending it',
    response: OrderCheckResponse,
    errors: [
      'validation_error',
      'not_found',
      'symbol_not_allowed',
      'volume_limit_exceeded',
      'order_deviation_exceeded',
      'order_rate_exceeded',
      'open_volume_exceeded',
      'daily_loss_exceeded',
      'server_time_unavailable',
    ],
  })
  @ApiBody({ type: OrderCheckRequest, examples: orderExamples })
  async check(@ValidBody() body: OrderCheckRequest): Promise<OrderCheckResponse> {
    const marks = { magic: body.magic ?? 0, comment: terminalComment(body.comment ?? '') };
    const { drafts } = await this.preparation.prepareForCheck(proposedOrderOf(body, this.reader.limits), marks);
    let check = null;
    for (const draft of drafts) {
      check = await this.preparation.check(draft);
      if (check.retcode !== Retcode.INVALID_FILL) break;
    }
    if (!check) throw new Error('an order has at least one filling');
    const { retcode, comment, balance, equity, profit, margin, margin_free, margin_level } = check;
    return single({
      valid: retcode === 0,
      retcode,
      retcode_name: retcode === 0 ? 'DONE' : retcodeName(retcode),
      comment,
      balance,
      equity,
      profit,
      margin,
      margin_free,
      margin_level,
    });
  }

  @Post('order_calc_margin')
  @ReadEndpoint({
    summary: 'The margin an order would take',
    response: CalcMarginResponse,
    errors: ['validation_error', 'not_found'],
  })
  async margin(@ValidBody() body: CalcMarginRequest): Promise<CalcMarginResponse> {
    const type = OrderType[body.type];
    const { tick } = await this.reader.market(body.symbol);
    const side = isBuyOrder(type) ? OrderType.BUY : OrderType.SELL;
    const margin = await this.terminal.read((terminal) =>
      terminal.orderCalcMargin(side, body.symbol, body.volume, body.price ?? marketPrice(type, tick)),
    );
    if (margin === null) throw notComputed('margin');
    return single({ margin });
  }

  @Post('order_calc_profit')
  @ReadEndpoint({
    summary: 'The result of a trade between two prices',
    response: CalcProfitResponse,
    errors: ['validation_error', 'not_found'],
  })
  async profit(@ValidBody() body: CalcProfitRequest): Promise<CalcProfitResponse> {
    const { symbol, volume, price_open, price_close } = body;
    await this.reader.market(symbol);
    const profit = await this.terminal.read((terminal) =>
      terminal.orderCalcProfit(OrderType[body.type], symbol, volume, price_open, price_close),
    );
    if (profit === null) throw notComputed('profit');
    return single({ profit });
  }
}

function notComputed(what: string): ApiError {
  return new ApiError('terminal_unavailable', `the terminal could not compute the ${what}`);
}
