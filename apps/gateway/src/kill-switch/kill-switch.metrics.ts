import { gauge } from '@libs/metrics';
import { KillSwitch } from './kill-switch';

/** Read from the switch at each scrape, so that the first scrape is correct. */
export const killSwitchMetrics = [
  gauge({
    name: 'kill_switch_active',
    help: '1 while the kill switch is active, else 0.',
    inject: [KillSwitch],
    async collect(killSwitch: KillSwitch) {
      this.set((await killSwitch.isActive()) ? 1 : 0);
    },
  }),
];
