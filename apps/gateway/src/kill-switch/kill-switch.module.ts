import { Module } from '@nestjs/common';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { KillSwitch } from './kill-switch';
import { KillSwitchMetrics } from './kill-switch.metrics';

@Module({
  providers: [
    {
      provide: KillSwitch,
      useFactory: (settings: GatewaySettings) => new KillSwitch(settings.KILL_SWITCH_FILE),
      inject: [GATEWAY_SETTINGS],
    },
    KillSwitchMetrics,
  ],
  exports: [KillSwitch],
})
export class KillSwitchModule {}
