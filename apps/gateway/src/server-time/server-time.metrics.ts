import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { MetricsRegistry } from '@libs/metrics';
import { ServerTime } from './server-time';

/** Metrics of the broker server's clock; absent while it is unknown, because 0 would be an offset. */
@Injectable()
export class ServerTimeMetrics {
  constructor(registry: MetricsRegistry, serverTime: ServerTime) {
    new Gauge({
      name: 'server_time_offset_seconds',
      help: 'Broker server time minus UTC; no value while it is unknown.',
      registers: [registry],
      collect() {
        show(this, serverTime.report().offset_seconds);
      },
    });
    new Gauge({
      name: 'server_time_offset_age_seconds',
      help: 'Seconds since a derived offset was last confirmed; no value for a configured or unknown one.',
      registers: [registry],
      collect() {
        show(this, serverTime.report().age_seconds);
      },
    });
  }
}

function show(gauge: Gauge, value: number | null): void {
  if (value === null) gauge.remove();
  else gauge.set(value);
}
