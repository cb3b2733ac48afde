import { Inject, Module, type BeforeApplicationShutdown } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Clock } from '@libs/clock';
import { AuditModule } from '../audit/audit.module';
import { EntryLimitsModule } from '../entry-limits/entry-limits.module';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { KillSwitchModule } from '../kill-switch/kill-switch.module';
import { NotifierModule } from '../notifier/notifier.module';
import { ReconciliationModule } from '../reconciliation/reconciliation.module';
import { ServerTimeModule } from '../server-time/server-time.module';
import { SignalsModule } from '../signals/signals.module';
import { Stopping } from '../stopping/stopping';
import { TerminalModule } from '../terminal/terminal.module';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { HealthReport } from './health-report';
import { HealthController } from './health.controller';
import { ProbeListener } from './probe-listener';
import { Readiness } from './readiness';
import { SafetyFiles } from './safety-files';

/** Liveness, readiness and the report. At shutdown, readiness ends first; the sockets close after a pause. */
@Module({
  imports: [
    TerminusModule.forRoot({ logger: false }),
    AuditModule,
    KillSwitchModule,
    TerminalModule,
    ServerTimeModule,
    EntryLimitsModule,
    TradeJournalModule,
    NotifierModule,
    ReconciliationModule,
    SignalsModule,
  ],
  controllers: [HealthController],
  providers: [ProbeListener, Readiness, HealthReport, SafetyFiles],
})
export class HealthModule implements BeforeApplicationShutdown {
  constructor(
    private readonly stopping: Stopping,
    private readonly clock: Clock,
    @Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.begin();
    const drainMs = this.settings.SHUTDOWN_DRAIN_SECONDS * 1_000;
    if (drainMs > 0) await this.clock.sleep(drainMs);
  }
}
