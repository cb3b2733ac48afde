import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { timeframeNames } from '@libs/terminal-client';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { ClockQuery, InstantQuery, ReadEndpoint } from '../http/endpoint.decorators';
import { ReadBudget } from '../http/read-budget';
import { sendPackedRows, sendPieces, streamPackedRows, streamPieces } from './answer';
import { BarService } from './bar.service';
import { barsByPosition, barsByTime, barsUpToTime } from './bars.request';
import { BarsResponse } from './bars.response';
import { packedBarsMeaning } from './packed-rows';
import { wantsPackedRows } from '../http/packed-rows';

const timeframeQuery = {
  name: 'timeframe',
  required: false,
  enum: timeframeNames,
  description: 'In any letter case; M1 by default.',
};

@ApiTags('data')
@Controller()
export class BarsController {
  constructor(
    private readonly bars: BarService,
    @Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings,
    private readonly budget: ReadBudget,
  ) {}

  @Get('fetch_data_pos')
  @ReadEndpoint({
    summary: 'The last bars of a symbol',
    description: 'Ascending by time; with `start_pos` 0 the last bar is still forming. At most MAX_NUM_BARS.',
    response: BarsResponse,
    packedRows: packedBarsMeaning,
    errors: ['validation_error', 'not_found'],
  })
  @ApiQuery({ name: 'symbol', type: 'string', example: 'EURUSD' })
  @ApiQuery(timeframeQuery)
  @ApiQuery({ name: 'num_bars', required: false, schema: { type: 'integer', minimum: 1, default: 100 } })
  @ApiQuery({
    name: 'start_pos',
    required: false,
    schema: { type: 'integer', minimum: 0, default: 0 },
    description: 'Number of bars between the last returned bar and the forming bar; 0 includes the forming bar.',
  })
  async fetchDataPos(
    @Query() raw: Record<string, unknown>,
    @Req() caller: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const request = barsByPosition(raw, this.settings);
    if (wantsPackedRows(caller)) sendPackedRows(reply, await this.bars.packedByPosition(request));
    else sendPieces(reply, await this.bars.byPosition(request));
  }

  @Get('copy_rates_from')
  @ReadEndpoint({
    summary: 'The last bars of a symbol that open at a time or before it',
    description: 'Ascending by time; fewer than `num_bars` only if the terminal has no more. At most MAX_NUM_BARS.',
    response: BarsResponse,
    packedRows: packedBarsMeaning,
    errors: ['validation_error', 'not_found', 'too_many_requests'],
  })
  @ApiQuery({ name: 'symbol', type: 'string', example: 'EURUSD' })
  @ApiQuery(timeframeQuery)
  @InstantQuery({ name: 'date', example: '2026-01-05T10:00:00Z', note: 'The last bar opens then or before.' })
  @ApiQuery({ name: 'num_bars', required: false, schema: { type: 'integer', minimum: 1, default: 100 } })
  @ClockQuery()
  async copyRatesFrom(
    @Query() raw: Record<string, unknown>,
    @Req() caller: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const request = barsUpToTime(raw, this.settings);
    const isPacked = wantsPackedRows(caller);
    const pieces = await this.budget.run(caller, () =>
      isPacked ? this.bars.packedUpTo(request) : this.bars.upTo(request),
    );
    (isPacked ? sendPackedRows : sendPieces)(reply, pieces);
  }

  @Get('fetch_data_range')
  @ReadEndpoint({
    summary: 'The bars of a symbol that open in a span of time',
    description:
      'Ascending by time, both ends inclusive. At most MAX_HISTORY_RANGE_DAYS. The answer is sent while it is read: if the terminal fails midway, the connection is cut, so an answer that can be parsed is complete.',
    response: BarsResponse,
    packedRows: packedBarsMeaning,
    errors: ['validation_error', 'not_found', 'too_many_requests'],
  })
  @ApiQuery({ name: 'symbol', type: 'string', example: 'EURUSD' })
  @ApiQuery(timeframeQuery)
  @InstantQuery({ name: 'start', example: '2026-01-05T10:00:00Z' })
  @InstantQuery({ name: 'end', example: '2026-01-05T12:00:00Z' })
  @ClockQuery()
  async fetchDataRange(
    @Query() raw: Record<string, unknown>,
    @Req() caller: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const request = barsByTime(raw, this.settings);
    if (wantsPackedRows(caller)) {
      await streamPackedRows(reply, this.budget.pieces(caller, this.bars.packedByTime(request)));
    } else await streamPieces(reply, this.budget.pieces(caller, this.bars.byTime(request)));
  }
}
