import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { Daemon } from '../daemon';
import { statusRowsOf } from './fleet-report';
import { fleetRow, fleetRows, isFleetScope } from './fleet-scope';
import { strategyNamed } from './named';
import { portfolioStatusOf } from './portfolio-row';
import { statusOf } from './snapshots';

@Controller('status')
export class StatusController {
  constructor(private readonly daemon: Daemon) {}

  @Get()
  all(@Query('scope') scope: unknown): object[] | Promise<object[]> {
    const { units } = this.daemon;
    return isFleetScope(scope, this.daemon) && units
      ? fleetRows(this.daemon, units, 'status')
      : statusRowsOf(this.daemon);
  }

  @Get(':name')
  one(@Param('name') name: string, @Query('scope') scope: unknown): object | Promise<object> {
    if (isFleetScope(scope, this.daemon)) return this.ofFleet(name);
    const portfolio = this.daemon.portfolios.find(({ spec }) => spec.name === name);
    return portfolio ? portfolioStatusOf(portfolio) : statusOf(strategyNamed(this.daemon, name));
  }

  @Get(':portfolio/:alias')
  child(
    @Param('portfolio') portfolio: string,
    @Param('alias') alias: string,
    @Query('scope') scope: unknown,
  ): object | Promise<object> {
    const name = `${portfolio}/${alias}`;
    return isFleetScope(scope, this.daemon) ? this.ofFleet(name) : statusOf(strategyNamed(this.daemon, name));
  }

  private async ofFleet(name: string): Promise<object> {
    const { units } = this.daemon;
    const row = units && (await fleetRow(this.daemon, units, name));
    if (!row) throw new ApiError('not_found', `no host runs ${name}`);
    return row;
  }
}
