import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { ClockQuery, InstantQuery, ReadEndpoint } from '../http/endpoint.decorators';
import { ReadBudget } from '../http/read-budget';
import { streamPackedRows, streamPieces } from './answer';
import { packedTicksMeaning } from './packed-rows';
import { wantsPackedRows } from '../http/packed-rows';
import { TickHistoryService } from './tick-history.service';
import { largestTickCount, ticksByTime, ticksFrom, type TicksByTime } from './ticks.request';
import { TicksResponse } from './ticks.response';

const flagsQuery = {
  name: 'flags',
  required: false,
  schema: { type: 'string', default: 'all', example: 'info' },
  description: 'all, info (quotes), trade, or the number 0 to 7.',
} as const;

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
    packedRows: packedTicksMeaning,
    errors: ['validation_error', 'not_found', 'too_many_requests'],
  })
  @ApiQuery({ name: 'symbol', type: 'string', example: 'EURUSD' })
  @InstantQuery({ name: 'from_date', example: '2026-01-05T10:00:00Z' })
  @InstantQuery({ name: 'to_date', example: '2026-01-05T10:05:00Z', note: 'Inside.' })
  @ApiQuery(flagsQuery)
  @ClockQuery()
  async copyTicksRange(
    @Query() raw: Record<string, unknown>,
    @Req() caller: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer(caller, reply, ticksByTime(raw, this.settings.MAX_HISTORY_RANGE_DAYS));
  }

  @Get('copy_ticks_from')
  @ReadEndpoint({
    summary: 'The first ticks of a symbol from a time on',
    description:
      'Ascending by time; fewer than `num_ticks` only if there are no more in the MAX_HISTORY_RANGE_DAYS after `from_date`. The answer is sent while it is read, as that of /copy_ticks_range.',
    response: TicksResponse,
    packedRows: packedTicksMeaning,
    errors: ['validation_error', 'not_found', 'too_many_requests'],
  })
  @ApiQuery({ name: 'symbol', type: 'string', example: 'EURUSD' })
  @InstantQuery({ name: 'from_date', example: '2026-01-05T10:00:00Z' })
  @ApiQuery({
    name: 'num_ticks',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: largestTickCount, default: 1_000 },
  })
  @ApiQuery(flagsQuery)
  @ClockQuery()
  async copyTicksFrom(
    @Query() raw: Record<string, unknown>,
    @Req() caller: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const request = ticksFrom(raw, this.settings.MAX_HISTORY_RANGE_DAYS);
    await this.answer(caller, reply, this.ticks.spanFrom(request), request.count);
  }

  private answer(caller: FastifyRequest, reply: FastifyReply, request: TicksByTime, most?: number): Promise<void> {
    return wantsPackedRows(caller)
      ? streamPackedRows(reply, this.budget.pieces(caller, this.ticks.packedByTime(request, most)))
      : streamPieces(reply, this.budget.pieces(caller, this.ticks.byTime(request, most)));
  }
}
