import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiError, single } from '@libs/envelope';
import { ReadEndpoint } from '../http/endpoint.decorators';
import { TerminalAccess } from '../terminal/terminal-access';
import { AccountResponse } from './account.response';

@ApiTags('account')
@Controller()
export class AccountController {
  constructor(private readonly terminal: TerminalAccess) {}

  @Get('account')
  @ReadEndpoint({ summary: 'The account: balance, equity, margin and its permissions', response: AccountResponse })
  async account(): Promise<AccountResponse> {
    const account = await this.terminal.read((terminal) => terminal.accountInfo());
    if (account === null) throw new ApiError('terminal_unavailable', 'no account is logged in');
    return single(account);
  }
}
