import { Controller, Get, Headers, Inject } from '@nestjs/common';
import { Daemon } from '../daemon';
import { CONTROL_TOKEN, Open, tokenCheck } from './control-token.guard';
import { healthOf } from './snapshots';

@Controller('health')
export class HealthController {
  private readonly mayAsk: (authorization: string) => boolean;

  constructor(
    private readonly daemon: Daemon,
    @Inject(CONTROL_TOKEN) token: string | undefined,
  ) {
    this.mayAsk = tokenCheck(token);
  }

  @Open()
  @Get()
  health(@Headers('authorization') authorization = ''): object {
    return healthOf(this.daemon, this.mayAsk(authorization));
  }
}
