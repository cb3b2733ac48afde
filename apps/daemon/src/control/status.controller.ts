import { Controller, Get, Param } from '@nestjs/common';
import { Daemon } from '../daemon';
import { strategyNamed } from './named';
import { statusOf } from './snapshots';

@Controller('status')
export class StatusController {
  constructor(private readonly daemon: Daemon) {}

  @Get()
  all(): object[] {
    return this.daemon.strategies.filter(({ spec }) => spec.portfolio === null).map(statusOf);
  }

  @Get(':name')
  one(@Param('name') name: string): object {
    return statusOf(strategyNamed(this.daemon, name));
  }

  @Get(':portfolio/:alias')
  child(@Param('portfolio') portfolio: string, @Param('alias') alias: string): object {
    return statusOf(strategyNamed(this.daemon, `${portfolio}/${alias}`));
  }
}
