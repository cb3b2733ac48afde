import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { collection, single } from '@libs/envelope';
import { ReadEndpoint } from '../http/endpoint.decorators';
import { sendJson } from '../http/json-body';
import { QueryReader } from '../http/query-reader';
import { ServerTime } from '../server-time/server-time';
import { SymbolService } from './symbol.service';
import {
  MarketBookResponse,
  SymbolInfoResponse,
  SymbolRecordsResponse,
  SymbolsResponse,
  TickResponse,
} from './symbols.response';
import { TickBodies } from './tick-bodies';

@ApiTags('symbol')
@Controller()
export class SymbolsController {
  constructor(
    private readonly symbols: SymbolService,
    private readonly serverTime: ServerTime,
    private readonly ticks: TickBodies,
  ) {}

  @Get('symbols')
  @ReadEndpoint({
    summary: 'The symbols of the broker, by name',
    response: SymbolsResponse,
    errors: ['validation_error'],
  })
  @ApiQuery({
    name: 'search',
    required: false,
    type: 'string',
    example: '*EUR*,!*CHF*',
    description: 'Group mask: `*` matches any text, a comma separates masks, `!` excludes; left to right.',
  })
  async listSymbols(@Query() raw: Record<string, unknown>): Promise<SymbolsResponse> {
    const query = new QueryReader(raw);
    const search = query.text('search');
    query.finish();
    return collection(await this.symbols.list(search));
  }

  @Get('symbols_get')
  @ReadEndpoint({
    summary: 'The full records of the symbols, in one call',
    description: "In the broker's order. The quotes are those of symbols in Market Watch; others have prices of 0.",
    response: SymbolRecordsResponse,
    errors: ['validation_error'],
  })
  @ApiQuery({
    name: 'group',
    required: false,
    type: 'string',
    example: '*EUR*,!*CHF*',
    description: 'Group mask, as `search` of /symbols.',
  })
  async listRecords(@Query() raw: Record<string, unknown>): Promise<SymbolRecordsResponse> {
    const query = new QueryReader(raw);
    const group = query.text('group');
    query.finish();
    const records = await this.symbols.records(group);
    return collection(records.map((info) => ({ ...info, time_utc: this.serverTime.utcIso(info.time) })));
  }

  @Get('symbol_info/:symbol')
  @ReadEndpoint({ summary: "A symbol's full record", response: SymbolInfoResponse, errors: ['not_found'] })
  @ApiParam({ name: 'symbol', example: 'EURUSD' })
  async getSymbol(@Param('symbol') symbol: string): Promise<SymbolInfoResponse> {
    const info = await this.symbols.info(symbol);
    return single({ ...info, time_utc: this.serverTime.utcIso(info.time) });
  }

  @Get('market_book/:symbol')
  @ReadEndpoint({
    summary: "A symbol's market depth",
    description:
      "As the terminal shows it now: sells, then buys, each by descending price. The terminal follows a symbol's depth from the first read on, which may be empty.",
    response: MarketBookResponse,
    errors: ['not_found'],
  })
  @ApiParam({ name: 'symbol', example: 'EURUSD' })
  async getMarketBook(@Param('symbol') symbol: string): Promise<MarketBookResponse> {
    return collection(await this.symbols.marketBook(symbol));
  }

  @Get('symbol_info_tick/:symbol')
  @ReadEndpoint({ summary: "A symbol's last quote", response: TickResponse, errors: ['not_found'] })
  @ApiParam({ name: 'symbol', example: 'EURUSD' })
  async getTick(@Param('symbol') symbol: string, @Res() reply: FastifyReply): Promise<void> {
    const { tick, ageSeconds } = await this.symbols.quote(symbol);
    sendJson(reply, this.ticks.body(symbol, tick, ageSeconds));
  }
}
