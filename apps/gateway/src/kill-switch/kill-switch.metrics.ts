import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { MetricsRegistry } from '@libs/metrics';
import { KillSwitch } from './kill-switch';

/** Read from the switch at each scrape, so that the first scrape is correct. */
@Injectable()
export class KillSwitchMetrics {
  constructor(registry: MetricsRegistry, killSwitch: KillSwitch) {
    new Gauge({
      name: 'kill_switch_active',
      help: '1 while the kill switch is active, else 0.',
      registers: [registry],
      async collect() {
        this.set((await killSwitch.isActive()) ? 1 : 0);
      },
    });
  }
}
