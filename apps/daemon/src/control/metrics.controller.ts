import { Controller, Get, Res } from '@nestjs/common';
import { MetricsRegistry } from '@libs/metrics';
import type { FastifyReply } from 'fastify';

/** Not registered when the route is disabled. */
@Controller('metrics')
export class MetricsController {
  constructor(private readonly registry: MetricsRegistry) {}

  @Get()
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('content-type', this.registry.contentType);
    return this.registry.metrics();
  }
}
