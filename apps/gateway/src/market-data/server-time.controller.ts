import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiError, single } from '@libs/envelope';
import { ClockQuery, InstantQuery, LocalEndpoint } from '../http/endpoint.decorators';
import { QueryReader } from '../http/query-reader';
import { ServerTime } from '../server-time/server-time';
import { ServerTimeResponse } from './server-time.response';
import { readClock, readInstant } from './utc-span';

/** Converts a time between UTC and the broker server's clock, with the offset that is in force at that time, as far as it is known. */
@ApiTags('data')
@Controller()
export class ServerTimeController {
  constructor(private readonly serverTime: ServerTime) {}

  @Get('server_time')
  @LocalEndpoint({
    changes: false,
    summary: "A time in UTC and on the broker server's clock",
    description:
      'A time that the server shows twice, because its clock is set back, is the first of the two or the second. Only with a zone ' +
      '(`source`) does the offset follow daylight changes.',
    response: ServerTimeResponse,
    errors: ['server_time_unavailable'],
    ofAccount: true,
    worksWithoutSession: true,
  })
  @InstantQuery({ name: 'date', example: '2026-01-05T10:00:00Z' })
  @ClockQuery()
  getServerTime(@Query() raw: Record<string, unknown>): ServerTimeResponse {
    const query = new QueryReader(raw);
    query.requiredText('date');
    const givenMs = readInstant(query, 'date') ?? 0;
    const clock = readClock(query);
    query.finish();
    const utcMs = clock === 'utc' ? givenMs : this.serverTime.toUtcMs(givenMs);
    const serverMs = clock === 'server' ? givenMs : this.serverTime.toServerMs(givenMs);
    const { source } = this.serverTime.report();
    if (utcMs === null || serverMs === null || source === null) {
      throw new ApiError('server_time_unavailable', "the offset of the broker server's clock is not known yet", {
        details: { reason: 'unknown' },
      });
    }
    return single({
      utc: new Date(utcMs).toISOString(),
      server_epoch: Math.floor(serverMs / 1_000),
      offset_seconds: Math.round((serverMs - utcMs) / 1_000),
      source,
    });
  }
}
