import { Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { TerminalModule } from '../terminal/terminal.module';
import { TerminalSession } from '../terminal-session/terminal-session';
import { AuditLog } from './audit-log';
import { AuditTrail } from './audit-trail';

/** The order audit log, and the logins and logouts of the session on it. */
@Module({
  imports: [TerminalModule],
  providers: [
    {
      provide: AuditLog,
      useFactory: async (settings: GatewaySettings, clock: Clock) => {
        const log = new AuditLog(settings.ORDER_AUDIT_FILE, clock);
        await log.open();
        return log;
      },
      inject: [GATEWAY_SETTINGS, Clock],
    },
    {
      provide: AuditTrail,
      useFactory: (file: AuditLog) => new AuditTrail(file, new Logger('audit')),
      inject: [AuditLog],
    },
  ],
  exports: [AuditLog, AuditTrail],
})
export class AuditModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly file: AuditLog,
    private readonly trail: AuditTrail,
    private readonly session: TerminalSession,
  ) {}

  onModuleInit(): void {
    this.session.onConnected((account) => this.trail.connected(account));
    this.session.onLogin(({ login }) => void this.trail.note({ event: 'login', login }));
    this.session.onLogout(({ login }) => void this.trail.note({ event: 'logout', login }));
  }

  /** After the sockets are closed, so that the last requests are on it. */
  async onApplicationShutdown(): Promise<void> {
    await this.file.close();
  }
}
