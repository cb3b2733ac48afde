import { applyDecorators, Controller, Get, Query, Req } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { collection, single } from '@libs/envelope';
import { orderTypeName, type TradeDeal } from '@libs/terminal-client';
import { ClockQuery, InstantQuery, PositionQuery, ReadEndpoint } from '../http/endpoint.decorators';
import { ReadBudget } from '../http/read-budget';
import { ServerTime } from '../server-time/server-time';
import { BrokerClock } from '../terminal/broker-clock';
import { TradeJournal } from '../trade-journal/trade-journal';
import { DealsResponse } from './deals.response';
import { HistoryOrdersResponse, HistoryTotalResponse, OrderFromTicketResponse } from './history-orders.response';
import type { HistoryPage } from './history-page';
import {
  dealRangeRequest,
  dealsRequest,
  defaultDays,
  largestPage,
  ordersRequest,
  positionRequest,
  ticketRequest,
  totalRequest,
} from './history.request';
import { HistoryService } from './history.service';
import { keyedDeal, keyedOrder } from './keyed-rows';
import type { PositionSummary } from './position-summary';
import { PositionLeg, PositionSummaryResponse } from './position-summary.response';

type RawQuery = Record<string, unknown>;

const integer = { type: 'integer', minimum: 0 } as const;

const totalRules = `Both ends are inclusive. Without \`to_date\` it ends now; without \`from_date\` it covers the last ${defaultDays} days.`;

const windowRules = `Both ends are inclusive, and the window may be of any length. Without \`to_date\` it ends now; without \`from_date\` it covers the last ${defaultDays} days. Oldest first, at most \`limit\` rows; if \`next_cursor\` is not null, more rows follow.`;

@ApiTags('history')
@Controller()
export class HistoryController {
  constructor(
    private readonly history: HistoryService,
    private readonly serverTime: ServerTime,
    private readonly clock: BrokerClock,
    private readonly journal: TradeJournal,
    private readonly budget: ReadBudget,
  ) {}

  @Get('history_deals_get')
  @ReadEndpoint({
    summary: 'Deals of a window, of one position, or of one order',
    description: `${windowRules} With \`position\`, the identifier of a position, or \`order\`, the window is optional.`,
    response: DealsResponse,
    errors: ['validation_error', 'too_many_requests'],
  })
  @WindowQuery()
  @PositionQuery()
  @ApiQuery({ name: 'order', required: false, schema: integer, description: "An order's ticket." })
  async listDeals(@Query() raw: RawQuery, @Req() caller: FastifyRequest): Promise<DealsResponse> {
    const request = dealsRequest(raw, this.clock.nowMs());
    const page =
      request.of === null
        ? await this.budget.run(caller, () => this.history.deals(request.window, request.page))
        : await this.history.dealsOf(request.of, request.window, request.page);
    return this.dealsResponse(page);
  }

  @Get('history_deals_range')
  @ReadEndpoint({
    summary: 'Deals of a window, of one strategy or of all',
    description: windowRules,
    response: DealsResponse,
    errors: ['validation_error', 'too_many_requests'],
  })
  @WindowQuery()
  @ApiQuery({ name: 'magic', required: false, schema: integer })
  async listDealsOfMagic(@Query() raw: RawQuery, @Req() caller: FastifyRequest): Promise<DealsResponse> {
    const { window, magic, page } = dealRangeRequest(raw, this.clock.nowMs());
    return this.dealsResponse(await this.budget.run(caller, () => this.history.deals(window, page, magic)));
  }

  @Get('history_orders_get')
  @ReadEndpoint({
    summary: 'Completed orders, of a window, of one position, or by ticket',
    description: `${windowRules} An order is in the window if it was placed or completed in it.`,
    response: HistoryOrdersResponse,
    errors: ['validation_error', 'too_many_requests'],
  })
  @WindowQuery()
  @ApiQuery({ name: 'ticket', required: false, schema: integer })
  @ApiQuery({ name: 'position', required: false, schema: integer, description: 'The identifier of a position.' })
  async listHistoryOrders(@Query() raw: RawQuery, @Req() caller: FastifyRequest): Promise<HistoryOrdersResponse> {
    const request = ordersRequest(raw, this.clock.nowMs());
    const { rows, nextCursor } =
      request.of === null
        ? await this.budget.run(caller, () => this.history.orders(request.window, request.page))
        : { rows: await this.history.ordersOf(request.of), nextCursor: null };
    const data = rows.map((order) => keyedOrder(order, this.serverTime, this.journal));
    return { ...collection(data), next_cursor: nextCursor };
  }

  @Get('history_deals_total')
  @ReadEndpoint({
    summary: 'How many deals a window has',
    description: totalRules,
    response: HistoryTotalResponse,
    errors: ['validation_error', 'too_many_requests'],
  })
  @SpanQuery()
  async countDeals(@Query() raw: RawQuery, @Req() caller: FastifyRequest): Promise<HistoryTotalResponse> {
    const window = totalRequest(raw, this.clock.nowMs());
    return single({ total: await this.budget.run(caller, () => this.history.dealsTotal(window)) });
  }

  @Get('history_orders_total')
  @ReadEndpoint({
    summary: 'How many orders were placed or completed in a window',
    description: totalRules,
    response: HistoryTotalResponse,
    errors: ['validation_error', 'too_many_requests'],
  })
  @SpanQuery()
  async countHistoryOrders(@Query() raw: RawQuery, @Req() caller: FastifyRequest): Promise<HistoryTotalResponse> {
    const window = totalRequest(raw, this.clock.nowMs());
    return single({ total: await this.budget.run(caller, () => this.history.ordersTotal(window)) });
  }

  @Get('get_deal_from_ticket')
  @ReadEndpoint({
    summary: 'Summary of the deals of one position',
    description:
      'Give `position` or `ticket`: a ticket that the position has or had, or its `identifier`. A netting account that reverses a position keeps its identifier and gives it another ticket: the answer is about the leg that the number names, and `legs` has all of them.',
    response: PositionSummaryResponse,
    errors: ['validation_error', 'not_found'],
  })
  @PositionQuery()
  async getDealFromTicket(@Query() raw: RawQuery): Promise<PositionSummaryResponse> {
    const ticket = positionRequest(raw);
    const legs = (await this.history.positionLegs(ticket)).map((leg) => this.legRow(leg));
    const named = legs.find((leg) => leg.ticket === ticket) ?? legs[0];
    if (named === undefined) throw new Error(`position ${ticket} has deals and no leg`);
    return single({
      ...named,
      ticket,
      volume: named.volume_opened,
      open_price: named.price_open,
      close_price: named.price_close,
      open_time: named.time_open_utc,
      close_time: named.time_close_utc,
      legs,
    });
  }

  @Get('get_order_from_ticket')
  @ReadEndpoint({
    summary: 'One order, pending or completed',
    response: OrderFromTicketResponse,
    errors: ['validation_error', 'not_found'],
  })
  @ApiQuery({ name: 'ticket', schema: integer })
  async getOrderFromTicket(@Query() raw: RawQuery): Promise<OrderFromTicketResponse> {
    return single(keyedOrder(await this.history.order(ticketRequest(raw)), this.serverTime, this.journal));
  }

  private legRow(leg: PositionSummary): PositionLeg {
    return {
      ...leg,
      type_str: orderTypeName(leg.type),
      time_open_utc: this.serverTime.utcIsoMs(leg.time_open_msc),
      time_close_utc: leg.time_close_msc === null ? null : this.serverTime.utcIsoMs(leg.time_close_msc),
    };
  }

  private dealsResponse({ rows, nextCursor }: HistoryPage<TradeDeal>): DealsResponse {
    const data = rows.map((deal) => keyedDeal(deal, this.serverTime, this.journal));
    return { ...collection(data), next_cursor: nextCursor };
  }
}

/** Query parameters for a window of history. */
function SpanQuery(): MethodDecorator {
  return applyDecorators(
    InstantQuery({ name: 'from_date', required: false, example: '2026-01-05T00:00:00Z' }),
    InstantQuery({ name: 'to_date', required: false, example: '2026-01-06T00:00:00Z' }),
    ClockQuery(),
  );
}

/** Query parameters for a window of history and its page. */
function WindowQuery(): MethodDecorator {
  return applyDecorators(
    SpanQuery(),
    ApiQuery({
      name: 'limit',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: largestPage, default: largestPage },
    }),
    ApiQuery({
      name: 'cursor',
      required: false,
      schema: { type: 'string' },
      description:
        '`next_cursor` of the previous page, with the other parameters unchanged. No row is lost or repeated between pages, even if rows are added meanwhile. A row that the terminal shows late, before a page that was read, makes it invalid: read again from the first page.',
    }),
  );
}
