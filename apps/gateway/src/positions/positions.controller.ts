import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { collection, single } from '@libs/envelope';
import { PositionQuery, ReadEndpoint } from '../http/endpoint.decorators';
import { readPositionFilter, terminalFilter, type ListQuery } from '../orders/list-filter';
import { sendJson } from '../http/json-body';
import { ReadCache } from '../read-cache/read-cache';
import { ServerTime } from '../server-time/server-time';
import { SymbolService } from '../symbols/symbol.service';
import { TerminalAccess } from '../terminal/terminal-access';
import { TradeJournal } from '../trade-journal/trade-journal';
import { positionRow } from './position-rows';
import { PositionsResponse, PositionsTotalResponse } from './positions.response';

@ApiTags('position')
@Controller()
export class PositionsController {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly serverTime: ServerTime,
    private readonly journal: TradeJournal,
    private readonly cache: ReadCache,
    private readonly symbols: SymbolService,
  ) {}

  @Get('get_positions')
  @ReadEndpoint({ summary: 'Open positions', response: PositionsResponse, errors: ['validation_error', 'not_found'] })
  @ApiQuery({ name: 'magic', required: false, type: 'integer' })
  @ApiQuery({ name: 'symbol', required: false, type: 'string', example: 'EURUSD' })
  @PositionQuery()
  async listPositions(
    @Query() raw: Record<string, unknown>,
    @Req() { url }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.cache.body(url, () => this.read(raw)));
  }

  @Get('positions_total')
  @ReadEndpoint({ summary: 'How many positions are open', response: PositionsTotalResponse })
  async countPositions(): Promise<PositionsTotalResponse> {
    const positions = await this.terminal.positions();
    return single({ total: positions.length });
  }

  private async read(raw: Record<string, unknown>): Promise<PositionsResponse> {
    const query: ListQuery = readPositionFilter(raw);
    const positions = await this.terminal.positions(terminalFilter(query));
    const wanted = positions.filter(
      ({ magic, symbol }) =>
        (query.magic === undefined || magic === query.magic) && (query.symbol === undefined || symbol === query.symbol),
    );
    if (wanted.length === 0 && query.symbol !== undefined) await this.symbols.requireKnown(query.symbol);
    return collection(wanted.map((position) => positionRow(position, this.serverTime, this.journal)));
  }
}
