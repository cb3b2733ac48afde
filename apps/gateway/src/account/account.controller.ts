import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { single } from '@libs/envelope';
import { bodyErrors, LocalEndpoint, ReadEndpoint } from '../http/endpoint.decorators';
import { callerOf } from '../http/key-access';
import { ValidBody } from '../http/valid-body.decorator';
import { sendJson } from '../http/json-body';
import { ReadCache } from '../read-cache/read-cache';
import { TerminalAccess } from '../terminal/terminal-access';
import { AccountAcceptance } from './account-acceptance';
import { AcceptAccountRequest } from './account.request';
import { AccountAcceptedResponse, AccountResponse, TerminalInfoResponse } from './account.response';

@ApiTags('account')
@Controller()
export class AccountController {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly cache: ReadCache,
    private readonly acceptance: AccountAcceptance,
  ) {}

  @Get('account')
  @ReadEndpoint({ summary: 'The account: balance, equity, margin and its permissions', response: AccountResponse })
  async getAccount(@Res() reply: FastifyReply): Promise<void> {
    sendJson(reply, await this.cache.body('account', () => this.read()));
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
