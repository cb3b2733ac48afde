import { Controller, Get, Param } from '@nestjs/common';
import { Daemon } from '../daemon';
import { strategyNamed } from './named';
import { portfolioStatusOf } from './portfolio-row';
import { statusOf } from './snapshots';

@Controller('status')
export class StatusController {
  constructor(private readonly daemon: Daemon) {}

  @Get()
  all(): object[] {
    const alone = this.daemon.strategies.filter(({ spec }) => spec.portfolio === null);
    return [...this.daemon.portfolios.map(portfolioStatusOf), ...alone.map(statusOf)];
  }

  @Get(':name')
  one(@Param('name') name: string): object {
    const portfolio = this.daemon.portfolios.find(({ spec }) => spec.name === name);
    return portfolio ? portfolioStatusOf(portfolio) : statusOf(strategyNamed(this.daemon, name));
  }

  @Get(':portfolio/:alias')
  child(@Param('portfolio') portfolio: string, @Param('alias') alias: string): object {
    return statusOf(strategyNamed(this.daemon, `${portfolio}/${alias}`));
  }
}
