import { Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { Files } from '@libs/files';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { PeriodicWork } from '../schedule/periodic-work';
import { TerminalModule } from '../terminal/terminal.module';
import { TerminalSession } from '../terminal-session/terminal-session';
import { AuditLog } from './audit-log';
import { AuditTrail } from './audit-trail';

const tickMs = 1_000;

/** The order audit log, and the logins and logouts written to it. */
@Module({
  imports: [TerminalModule],
  providers: [
    {
      provide: AuditLog,
      useFactory: async (settings: GatewaySettings, clock: Clock, files: Files) => {
        const log = new AuditLog(files, settings.ORDER_AUDIT_FILE, clock);
        await log.open();
        return log;
      },
      inject: [GATEWAY_SETTINGS, Clock, Files],
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
  private readonly logger = new Logger('audit');

  constructor(
    private readonly file: AuditLog,
    private readonly trail: AuditTrail,
    private readonly session: TerminalSession,
    private readonly periodic: PeriodicWork,
  ) {}

  onModuleInit(): void {
    this.session.onConnected((account) => this.trail.connected(account));
    this.session.onLogin(({ login }) => void this.trail.note({ event: 'login', login }));
    this.session.onLogout(({ login }) => void this.trail.note({ event: 'logout', login }));
    this.periodic.start('audit-log', tickMs, () => this.tick());
  }

  private async tick(): Promise<void> {
    const before = this.file.status;
    await this.file.tick();
    const { state, error, missing } = this.file.status;
    if (missing !== before.missing) this.logger.error({ missing }, 'the audit log lacks lines that were written');
    if (state === before.state) return;
    if (state === 'ok') this.logger.warn('the audit log can be written again');
    else this.logger.error({ error }, 'the audit log cannot be written: no new trades are accepted');
  }

  /** Closes last, after sockets and session, so that the last requests and the logout are written. */
  async onApplicationShutdown(): Promise<void> {
    await this.session.stop();
    await this.file.close();
  }
}
