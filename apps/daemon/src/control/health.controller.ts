import { Controller, Get, Headers, Inject, Query } from '@nestjs/common';
import { Daemon } from '../daemon';
import { CONTROL_TOKEN, Open, credentialRequired, tokenCheck } from './control-token.guard';
import { fleetHealth, isFleetScope } from './fleet-scope';
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
  health(@Headers('authorization') authorization = '', @Query('scope') scope: unknown): object | Promise<object> {
    const { units } = this.daemon;
    if (!isFleetScope(scope, this.daemon) || !units) return healthOf(this.daemon, this.mayAsk(authorization));
    // Anyone may ask for this host, whose answer comes from memory; this one reads the database.
    if (!this.mayAsk(authorization)) throw credentialRequired();
    return fleetHealth(this.daemon, units);
  }
}
