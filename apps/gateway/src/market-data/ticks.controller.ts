import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { InstantQuery, ReadEndpoint } from '../http/endpoint.decorators';
import { ReadBudget } from '../http/read-budget';
import { streamPieces } from './answer';
import { TickHistoryService } from './tick-history.service';
import { ticksByTime } from './ticks.request';
import { TicksResponse } from './ticks.response';

@ApiTags('data')
@Controller()
export class TicksController {
  constructor(
    private readonly ticks: TickHistoryService,
    @Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings,
    private readonly budget: ReadBudget,
  ) {}

  @Get('copy_ticks_range')
  @ReadEndpoint({
    summary: 'The ticks of a symbol in a span of time',
    description:
      'At most MAX_HISTORY_RANGE_DAYS. The answer is sent while it is read: if the terminal fails midway, the connection is cut, so an answer that can be parsed is complete.',
    response: TicksResponse,
    errors: ['validation_error', 'not_found', 'too_many_requests'],
  })
  @ApiQuery({ name: 'symbol', type: 'string', example: 'EURUSD' })
  @InstantQuery({ name: 'from_date', example: '2026-01-05T10:00:00Z' })
  @InstantQuery({ name: 'to_date', example: '2026-01-05T10:05:00Z', note: 'Inside.' })
  @ApiQuery({
    name: 'flags',
    required: false,
    schema: { type: 'string', default: 'all', example: 'info' },
    description: 'all, info (quotes), trade, or the number 0 to 7.',
  })
  async copyTicksRange(
    @Query() raw: Record<string, unknown>,
    @Req() caller: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const request = ticksByTime(raw, this.settings.MAX_HISTORY_RANGE_DAYS);
    await streamPieces(reply, this.budget.pieces(caller, this.ticks.byTime(request)));
  }
}
