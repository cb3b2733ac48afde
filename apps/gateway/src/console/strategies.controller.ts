import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { ApiError, single } from '@libs/envelope';
import { LocalEndpoint } from '../http/endpoint.decorators';
import { DaemonStrategies } from './daemon-strategies';
import { QueryReader } from '../http/query-reader';
import { StrategiesResponse, StrategyLogResponse, StrategyResultsResponse } from './strategies.response';

const mostLines = 1_000;
const mostDays = 365;
/** One name, or that of a portfolio and of its child; never a step up in a path. */
const nameShape = /^(?!\.{1,2}(\/|$))[^/]{1,128}(\/(?!\.{1,2}$)[^/]{1,128})?$/;

@ApiTags('control')
@Controller('console')
export class StrategiesController {
  constructor(private readonly daemon: DaemonStrategies) {}

  @Get('strategies')
  @LocalEndpoint({
    changes: false,
    summary: 'The strategies of the daemon that CONSOLE_DAEMON_URL names',
    description: '200 even if the daemon does not answer: `daemon` and `error` state that.',
    response: StrategiesResponse,
  })
  async listStrategies(): Promise<StrategiesResponse> {
    return single(await this.daemon.read());
  }

  @Get('strategies/:name/log')
  @LocalEndpoint({
    changes: false,
    summary: 'The newest lines of the log of one strategy of that daemon',
    description: '200 even if the daemon does not answer: `daemon` and `error` state that.',
    response: StrategyLogResponse,
    errors: ['not_found'],
  })
  @ApiParam({
    name: 'name',
    example: 'trend',
    description: 'Of a strategy or a portfolio; that of a child is `portfolio/child`, percent-encoded.',
  })
  @ApiQuery({
    name: 'lines',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: mostLines, default: 200 },
  })
  async readStrategyLog(
    @Param('name') name: string,
    @Query() raw: Record<string, unknown>,
  ): Promise<StrategyLogResponse> {
    const query = new QueryReader(raw);
    const lines = query.integer('lines', { min: 1, max: mostLines }) ?? 200;
    query.finish();
    requireName(name);
    return single(await this.daemon.readLog(name, lines));
  }

  @Get('strategies/:name/results')
  @LocalEndpoint({
    changes: false,
    summary: 'What one strategy of that daemon earned over time, and the backtest of it',
    description: '200 even if the daemon does not answer: `daemon` and `error` state that.',
    response: StrategyResultsResponse,
    errors: ['not_found'],
  })
  @ApiParam({
    name: 'name',
    example: 'trend',
    description: 'Of a strategy or a portfolio; that of a child is `portfolio/child`, percent-encoded.',
  })
  @ApiQuery({
    name: 'days',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: mostDays, default: 30 },
  })
  async readStrategyResults(
    @Param('name') name: string,
    @Query() raw: Record<string, unknown>,
  ): Promise<StrategyResultsResponse> {
    const query = new QueryReader(raw);
    const days = query.integer('days', { min: 1, max: mostDays }) ?? 30;
    query.finish();
    requireName(name);
    return single(await this.daemon.readResults(name, days));
  }
}

/** @throws ApiError not_found for what can be no name of a strategy */
function requireName(name: string): void {
  if (!nameShape.test(name)) throw new ApiError('not_found', 'no strategy has such a name');
}
