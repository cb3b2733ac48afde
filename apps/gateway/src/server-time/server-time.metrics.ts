import type { Gauge } from 'prom-client';
import { gauge } from '@libs/metrics';
import { ServerTime } from './server-time';

/** Metrics of the broker server's clock; absent while it is unknown, because 0 would be an offset. */
export const serverTimeMetrics = [
  gauge({
    name: 'server_time_offset_seconds',
    help: 'Broker server time minus UTC; no value while it is unknown.',
    inject: [ServerTime],
    collect(serverTime: ServerTime) {
      show(this, serverTime.report().offset_seconds);
    },
  }),
  gauge({
    name: 'server_time_offset_age_seconds',
    help: 'Seconds since a derived offset was last confirmed; no value for a configured or unknown one.',
    inject: [ServerTime],
    collect(serverTime: ServerTime) {
      show(this, serverTime.report().age_seconds);
    },
  }),
];

function show(shown: Gauge, value: number | null): void {
  if (value === null) shown.remove();
  else shown.set(value);
}
