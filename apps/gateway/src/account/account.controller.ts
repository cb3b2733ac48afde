import { Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { single } from '@libs/envelope';
import { bodyErrors, LocalEndpoint, ReadEndpoint } from '../http/endpoint.decorators';
import { callerOf } from '../http/key-access';
import { ValidBody } from '../http/valid-body.decorator';
import { sendJson } from '../http/json-body';
import { instantForms } from '../server-time/utc-instant';
import { ReadCache } from '../read-cache/read-cache';
import { TerminalAccess } from '../terminal/terminal-access';
import { AccountAcceptance } from './account-acceptance';
import { AcceptAccountRequest, equityRequest, largestEquityPage } from './account.request';
import { AccountAcceptedResponse, AccountResponse, EquityResponse, TerminalInfoResponse } from './account.response';
import { EquityHistory } from './equity-history';

@ApiTags('account')
@Controller()
export class AccountController {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly cache: ReadCache,
    private readonly acceptance: AccountAcceptance,
    private readonly equity: EquityHistory,
  ) {}

  @Get('account')
  @ReadEndpoint({ summary: 'The account: balance, equity, margin and its permissions', response: AccountResponse })
  async getAccount(@Res() reply: FastifyReply): Promise<void> {
    sendJson(reply, await this.cache.body('account', () => this.read()));
  }

  @Get('account/equity')
  @ReadEndpoint({
    summary: 'Balance and equity over time, as the gateway recorded them each minute',
    description:
      'Readings of this account after `since`, oldest first. There is none of a minute in which the account was not explained, not ' +
      'logged in, or the gateway did not run: a gap is not a value. The gateway keeps as many as fit in EQUITY_DAYS.',
    response: EquityResponse,
    errors: ['journal_unavailable'],
  })
  @ApiQuery({
    name: 'since',
    required: false,
    schema: { type: 'string' },
    example: '2026-01-05T10:00:00Z',
    description: `Only readings after this time: ${instantForms}. Without it, from the oldest on.`,
  })
  @ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: largestEquityPage, default: 1_000 },
  })
  @ApiQuery({
    name: 'every_minutes',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 1_440 },
    description: 'Only the first reading of each span of so many minutes, counted from 1970.',
  })
  listEquity(@Query() raw: Record<string, unknown>): Promise<EquityResponse> {
    return this.equity.page(equityRequest(raw));
  }

  @Get('terminal_info')
  @ReadEndpoint({ summary: 'The terminal itself: its build, paths and permissions', response: TerminalInfoResponse })
  async getTerminal(): Promise<TerminalInfoResponse> {
    return single(await this.terminal.read((terminal) => terminal.terminalInfo()));
  }

  @Post('account/accept')
  @LocalEndpoint({
    changes: true,
    summary: 'Accept the account as the terminal shows it, although no deal explains it; entries are allowed again',
    description:
      'For an account that stays unexplained: compare GET /reconcile and the statement of the broker with what your clients hold ' +
      'first. Positions and orders that are not shown then count as ended, without an event; listeners receive `resync`.',
    response: AccountAcceptedResponse,
    errors: ['validation_error', 'terminal_unavailable', 'reconnect_cooldown', ...bodyErrors, 'journal_unavailable'],
    ofAccount: true,
  })
  acceptAccount(
    @ValidBody() body: AcceptAccountRequest,
    @Req() request: FastifyRequest,
  ): Promise<AccountAcceptedResponse> {
    return this.acceptance.accept(callerOf(request), body.since);
  }

  private async read(): Promise<AccountResponse> {
    return single(await this.terminal.readExplainedAccount());
  }
}
