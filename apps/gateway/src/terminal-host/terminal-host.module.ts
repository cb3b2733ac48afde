import { Logger, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { TerminalSession } from '../terminal-session/terminal-session';
import { TerminalModule } from '../terminal/terminal.module';
import { assembleHost } from './assemble-host';
import { ChildProcessRunner } from './child-process-runner';
import { type EventFields, type HostEvent, HostLog } from './host-events';
import { readHostLayout } from './host-layout.config';
import { hostOptions } from './host-options';
import { ProcessRunner } from './process-runner';
import { SessionView } from './session-view';
import { TerminalHost } from './terminal-host';

/** Writes the host's progress to the gateway's log, with the event's name as the message and its facts as fields. */
class GatewayHostLog extends HostLog {
  private readonly logger = new Logger('terminal-host');

  write(level: 'debug' | 'info' | 'warn' | 'error', event: HostEvent, fields: EventFields): void {
    const line = { msg: event, ...fields };
    if (level === 'info') this.logger.log(line);
    else this.logger[level](line);
  }
}

/** Runs the real terminal unattended; imported if TERMINAL_DRIVER=bridge and TERMINAL_HOST=1. */
@Module({
  imports: [TerminalModule],
  providers: [
    { provide: ProcessRunner, useClass: ChildProcessRunner },
    { provide: HostLog, useClass: GatewayHostLog },
    {
      provide: SessionView,
      useFactory: (session: TerminalSession): SessionView => ({ loggedInAs: () => session.status().account }),
      inject: [TerminalSession],
    },
    {
      provide: TerminalHost,
      useFactory: (
        settings: GatewaySettings,
        runner: ProcessRunner,
        clock: Clock,
        log: HostLog,
        session: SessionView,
      ) => assembleHost(hostOptions(settings, readHostLayout()), { runner, clock, log, session }),
      inject: [GATEWAY_SETTINGS, ProcessRunner, Clock, HostLog, SessionView],
    },
  ],
  exports: [TerminalHost],
})
export class TerminalHostModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(private readonly host: TerminalHost) {}

  /** In the background, so that HTTP is available before, during and after the login. */
  onApplicationBootstrap(): void {
    this.host.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.host.stop();
  }
}
