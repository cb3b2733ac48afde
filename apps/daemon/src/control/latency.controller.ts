import { Controller, Get } from '@nestjs/common';
import { Daemon } from '../daemon';

@Controller('latency')
export class LatencyController {
  constructor(private readonly daemon: Daemon) {}

  @Get()
  latency(): object {
    return this.daemon.latency.report();
  }
}
