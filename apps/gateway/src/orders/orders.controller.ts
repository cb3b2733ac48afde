import { Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiBody, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { collection } from '@libs/envelope';
import { keyedOrder } from '../history/keyed-rows';
import { ReadEndpoint, TradeEndpoint } from '../http/endpoint.decorators';
import { pathTicket } from '../http/path-ticket';
import { ValidBody } from '../http/valid-body.decorator';
import { ServerTime } from '../server-time/server-time';
import { SymbolService } from '../symbols/symbol.service';
import { TerminalAccess } from '../terminal/terminal-access';
import { CurrentAttempt } from '../trade-journal/current-attempt';
import type { TradeAnswer } from '../trade-journal/trade-answer';
import { TradeAttempt } from '../trade-journal/trade-attempt';
import { TradeJournal } from '../trade-journal/trade-journal';
import { CancelOrderService } from './cancel-order.service';
import { readListFilter, terminalFilter } from './list-filter';
import { ModifyOrderRequest } from './modify-order.request';
import { ModifyOrderService } from './modify-order.service';
import { OrderCancelledResponse, OrderModifiedResponse } from './order-change.response';
import { KeyedRequest } from './order.request';
import { OrdersResponse } from './orders.response';

@ApiTags('order')
@Controller('orders')
export class OrdersController {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly serverTime: ServerTime,
    private readonly journal: TradeJournal,
    private readonly modifying: ModifyOrderService,
    private readonly cancelling: CancelOrderService,
    private readonly symbols: SymbolService,
  ) {}

  @Get()
  @ReadEndpoint({ summary: 'Pending orders', response: OrdersResponse, errors: ['validation_error', 'not_found'] })
  @ApiQuery({ name: 'symbol', required: false, type: 'string', example: 'EURUSD' })
  @ApiQuery({ name: 'ticket', required: false, type: 'integer' })
  @ApiQuery({ name: 'magic', required: false, type: 'integer' })
  async listOrders(@Query() raw: Record<string, unknown>): Promise<OrdersResponse> {
    const query = readListFilter(raw);
    const orders = await this.terminal.orders(terminalFilter(query));
    const wanted = orders.filter(
      ({ magic, symbol }) =>
        (query.magic === undefined || magic === query.magic) && (query.symbol === undefined || symbol === query.symbol),
    );
    if (wanted.length === 0 && query.symbol !== undefined) await this.symbols.requireKnown(query.symbol);
    return collection(wanted.map((order) => keyedOrder(order, this.serverTime, this.journal)));
  }

  @Put(':ticket')
  @TradeEndpoint({
    killGated: true,
    addsRisk: true,
    summary: 'Change a pending order; omitted fields are kept',
    response: OrderModifiedResponse,
    errors: ['not_found', 'symbol_not_allowed', 'price_deviation_exceeded', 'server_time_unavailable'],
  })
  @ApiParam({ name: 'ticket', type: 'integer', example: 530218319 })
  modifyOrder(
    @CurrentAttempt() attempt: TradeAttempt,
    @Param('ticket') ticket: string,
    @ValidBody() body: ModifyOrderRequest,
  ): Promise<TradeAnswer> {
    return this.modifying.modify(attempt, pathTicket(ticket), body);
  }

  @Delete(':ticket')
  @TradeEndpoint({
    killGated: false,
    addsRisk: false,
    summary: 'Cancel a pending order; also works while the kill switch is active',
    response: OrderCancelledResponse,
    errors: ['not_found'],
  })
  @ApiParam({ name: 'ticket', type: 'integer', example: 530218319 })
  @ApiBody({ type: KeyedRequest, required: false })
  cancelOrder(
    @CurrentAttempt() attempt: TradeAttempt,
    @Param('ticket') ticket: string,
    @ValidBody() _body: KeyedRequest,
  ): Promise<TradeAnswer> {
    return this.cancelling.cancel(attempt, pathTicket(ticket));
  }
}
