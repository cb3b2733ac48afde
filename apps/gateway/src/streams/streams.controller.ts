import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountNotices } from '../account-evidence/account-notices';
import { LocalEndpoint, ReadEndpoint } from '../http/endpoint.decorators';
import { SymbolService } from '../symbols/symbol.service';
import { TerminalAccess } from '../terminal/terminal-access';
import { EventLog } from './event-log';
import { StreamConnections } from './stream-connections';
import { StreamBatch } from './stream-frame';
import { eventsRequest, tickStreamRequest, tradeStreamRequest } from './streams.request';
import { EventsResponse } from './trade-event.response';
import { TickFeed } from './tick-feed';
import { TradeListener } from './trade-listener';

const integer = { type: 'integer', minimum: 0 } as const;
const lastEventId = {
  name: 'Last-Event-ID',
  required: false,
  description: 'ID of the last event that the client received; same as `since`.',
} as const;

const asWebSocket =
  ' With `Upgrade: websocket`, each event is one text message `{"event", "id", "data"}`, and the heartbeat is a message `heartbeat` and a ping. Resume with `since`. A page offers the subprotocols `trading-gateway` and `bearer.` with the key in base64url, because it cannot set headers.';

/** The messages themselves are beyond OpenAPI: it ends at the handshake. */
const webSocket = {
  status: 101,
  description:
    'The same stream as a WebSocket, for a request with `Upgrade: websocket`; the subprotocol is `trading-gateway`.',
} as const;

@ApiTags('data')
@Controller()
export class StreamsController {
  constructor(
    private readonly connections: StreamConnections,
    private readonly ticks: TickFeed,
    private readonly log: EventLog,
    private readonly symbols: SymbolService,
    private readonly terminal: TerminalAccess,
    private readonly notices: AccountNotices,
  ) {}

  @Get('stream/ticks')
  @ReadEndpoint({
    summary: 'Quotes as they change, as server-sent events or a WebSocket',
    description:
      'Events: `tick` (the fields of /symbol_info_tick with `symbol`, `seq` and `symbol_seq`), `connection` when the terminal disconnects or reconnects, and when its account is or is no longer explained (`connected`, and `reason`: `synchronizing`, `server_lost`, `not_logged_in`, `unreachable` or null), `resync` for an ID from before a restart of the gateway, `unknown_symbols` at the begin with the symbols that the broker does not have, of which there are no quotes until it has them; if it has none of them, the answer is 404. `seq` is the event ID and increases over all symbols; `symbol_seq` is consecutive per symbol until the gateway restarts, so a missing number is a lost quote. A slow client receives only the newest quote of each symbol. A comment is sent every 15 s.' +
      asWebSocket,
    errors: ['validation_error', 'forbidden', 'not_found'],
  })
  @ApiQuery({ name: 'symbols', type: 'string', example: 'EURUSD,GBPUSD' })
  @ApiQuery({ name: 'since', required: false, schema: integer })
  @ApiHeader(lastEventId)
  @ApiOkResponse(eventStream(tickExample()))
  @ApiResponse(webSocket)
  async streamTicks(
    @Query() raw: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { symbols, since } = tickStreamRequest(raw, request.headers);
    const unknown = await this.symbols.select(symbols);
    const connection = this.connections.accept(reply, 'ticks');
    if (unknown.length > 0) {
      const data = { event: 'unknown_symbols', symbols: unknown } as const;
      connection.write(StreamBatch.of({ event: data.event, data }));
    }
    this.ticks.listen(symbols, connection, since);
  }

  @Get('stream/trades')
  @ReadEndpoint({
    summary: 'Positions, orders and deals as they change, as server-sent events or a WebSocket',
    description:
      'Events `position`, `order` and `deal`, from any source, including manual trades, and `signal` with what became of an alert of SIGNALS_FILE. Each event has its ID in the log: a client that reconnects with `Last-Event-ID` receives the events that it missed. A new client first receives `ready` with the current position; a client whose events are no longer kept receives `resync`. Events are never coalesced. Two notices have no ID and are not in the log, because they are states: `connection`, as in /stream/ticks, with `tickets` that nothing explains; and `difference` (`action` `began` or `ended`, `ticket`, `kind`, `message`), as in `differences` of /health. A new client receives what is in force. A comment is sent every 15 s.' +
      asWebSocket,
    errors: ['validation_error', 'forbidden'],
  })
  @ApiQuery({ name: 'magic', required: false, schema: integer, description: 'Only events of this magic.' })
  @ApiQuery({ name: 'since', required: false, schema: integer })
  @ApiHeader(lastEventId)
  @ApiOkResponse(eventStream(tradeExample()))
  @ApiResponse(webSocket)
  async streamTrades(
    @Query() raw: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const subscription = tradeStreamRequest(raw, request.headers);
    await this.terminal.connected();
    new TradeListener(this.log, this.connections.accept(reply, 'trades'), subscription, this.notices).start();
  }

  @Get('events')
  @LocalEndpoint({
    changes: false,
    summary: 'The event log of /stream/trades, in pages',
    description: 'Events after `since`, oldest first. Without `since`, starts at the oldest event that is kept.',
    response: EventsResponse,
    errors: ['validation_error'],
    ofAccount: true,
  })
  @ApiQuery({ name: 'since', required: false, schema: integer })
  @ApiQuery({ name: 'limit', required: false, schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 } })
  @ApiQuery({ name: 'magic', required: false, schema: integer })
  listEvents(@Query() raw: Record<string, unknown>): EventsResponse {
    const { since, limit, magic } = eventsRequest(raw);
    const oldest = this.log.firstSeq - 1;
    const resync = since !== undefined && !this.log.reachesBackTo(since);
    const page = this.log.after(resync ? oldest : (since ?? oldest), limit);
    const data = page.filter((event) => magic === undefined || event.event === 'resync' || event.magic === magic);
    return {
      ok: true,
      data,
      total: data.length,
      first_seq: this.log.firstSeq,
      last_seq: this.log.lastSeq,
      next_since: page.at(-1)?.seq ?? this.log.lastSeq,
      resync,
    };
  }
}

/** Only the success is a stream; its errors are JSON, like all others. */
function eventStream(example: string) {
  return {
    description: 'An endless stream of events.',
    content: { 'text/event-stream': { schema: { type: 'string' }, example } },
  } as const;
}

function tickExample(): string {
  return 'id: 17950752000001\nevent: tick\ndata: {"seq":17950752000001,"symbol_seq":412,"symbol":"EURUSD","bid":1.17264,"ask":1.17279}\n\n';
}

function tradeExample(): string {
  return 'id: 1795075200001\nevent: position\ndata: {"seq":1795075200001,"event":"position","action":"opened"}\n\n';
}
