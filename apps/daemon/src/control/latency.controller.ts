import { Controller, Get, Query } from '@nestjs/common';
import { Daemon } from '../daemon';
import { requireHostScope } from './fleet-scope';

@Controller('latency')
export class LatencyController {
  constructor(private readonly daemon: Daemon) {}

  @Get()
  latency(@Query('scope') scope: unknown): object {
    requireHostScope(scope);
    return this.daemon.latency.report();
  }
}
