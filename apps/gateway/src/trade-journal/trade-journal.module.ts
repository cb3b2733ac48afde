import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Inject, Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { MetricsRegistry } from '@libs/metrics';
import { readLastAuditLines } from '../audit/audit-lines';
import { AuditModule } from '../audit/audit.module';
import { AuditTrail } from '../audit/audit-trail';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { KillSwitchModule } from '../kill-switch/kill-switch.module';
import { TerminalModule } from '../terminal/terminal.module';
import { PeriodicWork } from '../schedule/periodic-work';
import { auditEvidence } from './audit-evidence';
import { auditedRequests } from './audited-requests';
import { JournalAcceptance } from './journal-acceptance';
import { JournalController } from './journal.controller';
import { JournalMetrics } from './journal.metrics';
import { JournalStore } from './journal.store';
import { TaggedTraces } from './tagged-traces';
import { outcomeEvent } from './trade-events';
import { TradeJournal } from './trade-journal';
import { TradeMetrics } from './trade.metrics';
import { TradeRefusals } from './trade-refusals';
import { TradeSender } from './trade-sender';

const sweepPeriodMs = 60_000;
/** How often a journal that cannot be written is tried again. */
const probePeriodMs = 2_000;

/** The durable memory of trade requests, and the only way to the broker. */
@Module({
  imports: [AuditModule, KillSwitchModule, TerminalModule],
  controllers: [JournalController],
  providers: [
    {
      provide: TradeJournal,
      useFactory: (settings: GatewaySettings, clock: Clock) =>
        new TradeJournal(
          new JournalStore(join(settings.STATE_DIR, 'trade-journal'), randomUUID),
          clock,
          settings.IDEMPOTENCY_TTL_SECONDS,
          randomUUID,
          new Logger('trade-journal'),
        ),
      inject: [GATEWAY_SETTINGS, Clock],
    },
    {
      provide: TradeMetrics,
      useFactory: (registry: MetricsRegistry, journal: TradeJournal) => new TradeMetrics(registry, journal),
      inject: [MetricsRegistry, TradeJournal],
    },
    {
      provide: JournalMetrics,
      useFactory: (registry: MetricsRegistry, journal: TradeJournal) => new JournalMetrics(registry, journal),
      inject: [MetricsRegistry, TradeJournal],
    },
    JournalAcceptance,
    TaggedTraces,
    TradeSender,
    TradeRefusals,
  ],
  exports: [TradeJournal, TradeMetrics, TradeSender, TradeRefusals, AuditModule],
})
export class TradeJournalModule implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('trade-journal');

  constructor(
    private readonly journal: TradeJournal,
    private readonly audit: AuditTrail,
    private readonly metrics: TradeMetrics,
    private readonly periodic: PeriodicWork,
    private readonly clock: Clock,
    @Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /** Before the session starts and the first request comes: what an earlier process left open is unknown now. */
  async onModuleInit(): Promise<void> {
    const lines = readLastAuditLines(this.settings.ORDER_AUDIT_FILE);
    await this.journal.trust.compare(auditEvidence(lines), this.clock.nowMs());
    this.audit.markWith(this.journal.trust);
    const audited = auditedRequests(lines, this.journal.known, this.clock.nowMs());
    if (audited.length > 0) {
      this.logger.warn({ requests: audited.length }, 'the audit log has requests that the trade journal does not know');
    }
    for (const { record, intent } of await this.journal.recover(audited)) {
      this.metrics.interrupted();
      this.logger.warn({ intent_id: intent.id, key: record.clientOrderId }, 'a send was interrupted; looking it up');
      const outcome = { kind: 'unknown', reason: 'interrupted', result: null, lastError: null } as const;
      await this.audit.note(outcomeEvent(record, intent, outcome, null));
    }
    this.periodic.start('journal-sweep', sweepPeriodMs, () => this.journal.sweep());
    this.periodic.start('journal-probe', probePeriodMs, async () => {
      if (!this.journal.isWritable) await this.journal.probe();
    });
  }

  /** After the sockets are closed, so that the last requests are in it. */
  async onApplicationShutdown(): Promise<void> {
    await this.journal.close();
  }
}
