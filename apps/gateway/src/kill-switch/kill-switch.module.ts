import { Module } from '@nestjs/common';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { KillSwitch } from './kill-switch';

@Module({
  providers: [
    {
      provide: KillSwitch,
      useFactory: (settings: GatewaySettings) => new KillSwitch(settings.KILL_SWITCH_FILE),
      inject: [GATEWAY_SETTINGS],
    },
  ],
  exports: [KillSwitch],
})
export class KillSwitchModule {}
