import { Logger, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock, within, type Timer } from '@libs/clock';
import { Files } from '@libs/files';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { PeriodicWork } from '../schedule/periodic-work';
import { engagedFile, HaltFiles } from './halt-files';
import { KillSwitch } from './kill-switch';
import { killSwitchMetrics } from './kill-switch.metrics';

const tickMs = 1_000;
/** Longest wait for a probe that is under way at shutdown. */
const stopLimitMs = 3_000;

@Module({
  providers: [
    {
      provide: KillSwitch,
      useFactory: (settings: GatewaySettings, files: Files) =>
        new KillSwitch(
          new HaltFiles(files),
          settings.KILL_SWITCH_FILE,
          engagedFile(settings.STATE_DIR),
          new Logger('kill-switch'),
        ),
      inject: [GATEWAY_SETTINGS, Files],
    },
    ...killSwitchMetrics,
  ],
  exports: [KillSwitch],
})
export class KillSwitchModule implements OnModuleInit, OnModuleDestroy {
  private ticking: Timer | null = null;
  private underWay: Promise<void> = Promise.resolve();

  constructor(
    private readonly killSwitch: KillSwitch,
    private readonly clock: Clock,
    private readonly periodic: PeriodicWork,
  ) {}

  /** Before the session starts and the first request arrives, so that a halt of an earlier process persists. */
  async onModuleInit(): Promise<void> {
    await this.killSwitch.open();
    this.ticking = this.periodic.start('kill-switch', tickMs, () => (this.underWay = this.killSwitch.tick()));
  }

  /** A running probe removes its file before the gateway exits. */
  async onModuleDestroy(): Promise<void> {
    this.ticking?.cancel();
    await within(this.clock, stopLimitMs, this.underWay);
  }
}
