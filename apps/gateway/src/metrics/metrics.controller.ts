import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { MetricsRegistry } from '@libs/metrics';
import { LocalEndpoint } from '../http/endpoint.decorators';

@ApiTags('health')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly registry: MetricsRegistry) {}

  @Get()
  @LocalEndpoint({ changes: false, summary: 'Counters of safety and connection, for Prometheus' })
  @ApiOkResponse({
    description: 'Prometheus text exposition format 0.0.4.',
    content: {
      'text/plain': { schema: { type: 'string' }, example: '# TYPE terminal_connected gauge\nterminal_connected 1\n' },
    },
  })
  async getMetrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('content-type', this.registry.contentType);
    return this.registry.metrics();
  }
}
