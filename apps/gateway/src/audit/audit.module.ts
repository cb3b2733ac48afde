import { Logger, Module, type OnApplicationShutdown, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock, type Timer } from '@libs/clock';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { TerminalModule } from '../terminal/terminal.module';
import { TerminalSession } from '../terminal-session/terminal-session';
import { AuditLog } from './audit-log';
import { AuditTrail } from './audit-trail';

const tickMs = 1_000;

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
export class AuditModule implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger('audit');
  private ticking: Timer | null = null;

  constructor(
    private readonly file: AuditLog,
    private readonly trail: AuditTrail,
    private readonly session: TerminalSession,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.session.onConnected((account) => this.trail.connected(account));
    this.session.onLogin(({ login }) => void this.trail.note({ event: 'login', login }));
    this.session.onLogout(({ login }) => void this.trail.note({ event: 'logout', login }));
    this.ticking = this.clock.every(tickMs, () => void this.tick());
  }

  onModuleDestroy(): void {
    this.ticking?.cancel();
  }

  private async tick(): Promise<void> {
    const before = this.file.status.state;
    await this.file.tick();
    const { state, error } = this.file.status;
    if (state === before) return;
    if (state === 'ok') this.logger.warn('the audit log can be written again');
    else this.logger.error({ error }, 'the audit log cannot be written: no new trades are accepted');
  }

  /** After the sockets are closed, so that the last requests are on it. */
  async onApplicationShutdown(): Promise<void> {
    await this.file.close();
  }
}
