import { Controller, Get } from '@nestjs/common';
import { Daemon } from '../daemon';
import { Open } from './control-token.guard';
import { healthOf } from './snapshots';

@Controller('health')
export class HealthController {
  constructor(private readonly daemon: Daemon) {}

  @Open()
  @Get()
  health(): object {
    return healthOf(this.daemon);
  }
}
