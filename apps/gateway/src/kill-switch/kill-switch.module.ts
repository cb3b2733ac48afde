import { join } from 'node:path';
import { Logger, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock, type Timer } from '@libs/clock';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { KillSwitch } from './kill-switch';
import { KillSwitchMetrics } from './kill-switch.metrics';

const tickMs = 1_000;

@Module({
  providers: [
    {
      provide: KillSwitch,
      useFactory: (settings: GatewaySettings) =>
        new KillSwitch(
          settings.KILL_SWITCH_FILE,
          join(settings.STATE_DIR, 'kill-switch-engaged'),
          new Logger('kill-switch'),
        ),
      inject: [GATEWAY_SETTINGS],
    },
    KillSwitchMetrics,
  ],
  exports: [KillSwitch],
})
export class KillSwitchModule implements OnModuleInit, OnModuleDestroy {
  private ticking: Timer | null = null;

  constructor(
    private readonly killSwitch: KillSwitch,
    private readonly clock: Clock,
  ) {}

  /** Before the session starts and the first request comes: a halt of an earlier process holds. */
  async onModuleInit(): Promise<void> {
    await this.killSwitch.open();
    this.ticking = this.clock.every(tickMs, () => void this.killSwitch.tick());
  }

  onModuleDestroy(): void {
    this.ticking?.cancel();
  }
}
