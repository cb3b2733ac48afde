import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { single } from '@libs/envelope';
import { ReadEndpoint } from '../http/endpoint.decorators';
import { sendJson } from '../http/json-body';
import { ReadCache } from '../read-cache/read-cache';
import { TerminalAccess } from '../terminal/terminal-access';
import { AccountResponse } from './account.response';

@ApiTags('account')
@Controller()
export class AccountController {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly cache: ReadCache,
  ) {}

  @Get('account')
  @ReadEndpoint({ summary: 'The account: balance, equity, margin and its permissions', response: AccountResponse })
  async account(@Res() reply: FastifyReply): Promise<void> {
    sendJson(reply, await this.cache.body('account', () => this.read()));
  }

  private async read(): Promise<AccountResponse> {
    return single(await this.terminal.readAccount());
  }
}
