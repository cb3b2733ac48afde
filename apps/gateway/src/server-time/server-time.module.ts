import { Logger, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock, within } from '@libs/clock';
import { Files } from '@libs/files';
import { TerminalClient } from '@libs/terminal-client';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { PeriodicWork } from '../schedule/periodic-work';
import { BrokerClock } from '../terminal/broker-clock';
import { TerminalModule } from '../terminal/terminal.module';
import { TerminalSession } from '../terminal-session/terminal-session';
import { OffsetStore } from './offset.store';
import { ServerTime } from './server-time';
import { serverTimeMetrics } from './server-time.metrics';
import { serverTimeOptions } from './server-time-settings';

/** Longest wait for the write of the offset at shutdown; a lost offset costs one derivation. */
const stopLimitMs = 3_000;

/** Server time follows the session: it derives at every connect, and stops with it. */
@Module({
  imports: [TerminalModule],
  providers: [
    {
      provide: ServerTime,
      useFactory: async (
        settings: GatewaySettings,
        terminal: TerminalClient,
        periodic: PeriodicWork,
        brokerClock: BrokerClock,
        files: Files,
      ) =>
        new ServerTime(
          serverTimeOptions(settings),
          terminal,
          periodic.clockOf('server-time'),
          new Logger('server-time'),
          await OffsetStore.open(files, settings.STATE_DIR),
          brokerClock,
        ),
      inject: [GATEWAY_SETTINGS, TerminalClient, PeriodicWork, BrokerClock, Files],
    },
    ...serverTimeMetrics,
  ],
  exports: [ServerTime],
})
export class ServerTimeModule implements OnModuleInit, OnModuleDestroy {
  constructor(
    private readonly serverTime: ServerTime,
    private readonly session: TerminalSession,
    private readonly clock: Clock,
  ) {}

  /** Before the session starts, so that the first connect is observed. */
  onModuleInit(): void {
    this.session.onConnected((account) => this.serverTime.connected(account.server));
    this.session.onDisconnected(() => this.serverTime.disconnected());
  }

  async onModuleDestroy(): Promise<void> {
    this.serverTime.disconnected();
    await within(this.clock, stopLimitMs, this.serverTime.kept());
  }
}
