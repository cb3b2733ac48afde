import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiError, validationError } from '@libs/envelope';
import { Daemon } from '../daemon';
import { equityEveryMs } from './believed-result';
import { requireHostScope } from './fleet-scope';
import { logNamed } from './named';
import { isoOf } from './snapshots';

type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

const dayMs = 86_400_000;
const mostDays = 365;
/** Readings of one answer, about. */
const usualReadings = 2_000;

/** What a strategy or a portfolio earned over time, as the daemon recorded it. */
@Controller('equity')
export class EquityController {
  constructor(private readonly daemon: Daemon) {}

  @Get(':name')
  one(@Param('name') name: string, @Query() query: Query): Promise<object> {
    return this.answer(name, query);
  }

  @Get(':portfolio/:alias')
  child(@Param('portfolio') portfolio: string, @Param('alias') alias: string, @Query() query: Query): Promise<object> {
    return this.answer(`${portfolio}/${alias}`, query);
  }

  private async answer(name: string, query: Query): Promise<object> {
    requireHostScope(query['scope']);
    if (!logNamed(this.daemon, name)) throw new ApiError('not_found', `no strategy ${name}`);
    const days = daysOf(query);
    const everyMinutes = Math.max(1, Math.ceil((days * dayMs) / equityEveryMs / usualReadings));
    const { nowMs, logs } = this.daemon;
    const { readings, maxDrawdown } = await logs.equityOf(name).read(nowMs - days * dayMs, everyMinutes);
    return {
      name,
      days,
      everyMinutes,
      since: isoOf(readings[0]?.atMs ?? null),
      maxDrawdown,
      readings: readings.map(({ atMs, realized, unrealized }) => ({ at: isoOf(atMs), realized, unrealized })),
    };
  }
}

/** @throws ApiError 400 */
function daysOf({ days = '30' }: Query): number {
  const count = /^\d{1,3}$/.test(String(days)) ? Number(days) : 0;
  if (count < 1 || count > mostDays) {
    throw validationError({ field: 'days', problem: `must be an integer, 1 to ${mostDays}` });
  }
  return count;
}
