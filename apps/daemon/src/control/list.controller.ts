import { Controller, Get, Query } from '@nestjs/common';
import { Daemon } from '../daemon';
import { fleetRows, isFleetScope } from './fleet-scope';
import { listOf } from './snapshots';

@Controller('list')
export class ListController {
  constructor(private readonly daemon: Daemon) {}

  @Get()
  list(@Query('scope') scope: unknown): object[] | Promise<object[]> {
    const { units } = this.daemon;
    return isFleetScope(scope, this.daemon) && units ? fleetRows(this.daemon, units, 'list') : listOf(this.daemon);
  }
}
