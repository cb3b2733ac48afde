import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { single } from '@libs/envelope';
import { LocalEndpoint } from '../http/endpoint.decorators';
import { DaemonStrategies } from './daemon-strategies';
import { StrategiesResponse } from './strategies.response';

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
}
