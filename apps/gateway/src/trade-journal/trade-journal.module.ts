import { join } from 'node:path';
import { Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { systemErrorText } from '@libs/envelope';
import { Files } from '@libs/files';
import { StoreEngine } from '@libs/store';
import { AuditLog } from '../audit/audit-log';
import { AuditModule } from '../audit/audit.module';
import { AuditTrail } from '../audit/audit-trail';
import { fenceMetrics } from '../fences/fence.metrics';
import { Fences } from '../fences/fences';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { EDGE_RECORDING, NEW_ID, type NewId } from '../gateway.edge';
import { KillSwitchModule } from '../kill-switch/kill-switch.module';
import { ServerTimeModule } from '../server-time/server-time.module';
import { TerminalModule } from '../terminal/terminal.module';
import { PeriodicWork } from '../schedule/periodic-work';
import type { AuditLines } from '../audit/audit-lines';
import { auditEvidence } from './audit-evidence';
import { LevelTurns } from './level-turns';
import { linesOfSends } from './lines-of-sends';
import { auditedSends, type AuditedSends } from './audited-sends';
import { journalMetrics } from './journal.metrics';
import { journalFolder, JournalStore } from './journal.store';
import { RecordingFile } from './recording-file';
import { TaggedTraces } from './tagged-traces';
import type { CoreRecording } from '../trade-core/core-recording';
import { outcomeEvent } from '../trade-core/trade-events';
import { TradeJournal } from './trade-journal';
import { TradeMetrics, tradeMetrics } from './trade.metrics';
import { TradeRefusals } from './trade-refusals';
import { TradeSender } from './trade-sender';

const sweepPeriodMs = 60_000;
/** Interval between retries of a journal that cannot be written. */
const probePeriodMs = 2_000;

/** The durable memory of trade requests, and the only way to the broker. */
@Module({
  imports: [AuditModule, KillSwitchModule, ServerTimeModule, TerminalModule],
  providers: [
    {
      provide: TradeJournal,
      useFactory: (
        settings: GatewaySettings,
        clock: Clock,
        stores: StoreEngine,
        newId: NewId,
        files: Files,
        recording: CoreRecording | null,
      ) => {
        const log = new Logger('trade-journal');
        const store = new JournalStore(stores, journalFolder(settings.STATE_DIR), newId);
        const file = join(settings.STATE_DIR, 'trade-recording.jsonl');
        return new TradeJournal(
          store,
          clock,
          settings.IDEMPOTENCY_TTL_SECONDS * 1_000,
          newId,
          log,
          settings.TRADE_RECORDING ? new RecordingFile(files, file, log) : recording,
        );
      },
      inject: [GATEWAY_SETTINGS, Clock, StoreEngine, NEW_ID, Files, EDGE_RECORDING],
    },
    { provide: Fences, useFactory: ({ fences }: TradeJournal) => fences, inject: [TradeJournal] },
    TradeMetrics,
    ...tradeMetrics,
    ...journalMetrics,
    ...fenceMetrics,
    TaggedTraces,
    LevelTurns,
    TradeSender,
    TradeRefusals,
  ],
  exports: [TradeJournal, TaggedTraces, TradeMetrics, TradeSender, TradeRefusals, AuditModule],
})
export class TradeJournalModule implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('trade-journal');

  constructor(
    private readonly journal: TradeJournal,
    private readonly audit: AuditTrail,
    private readonly metrics: TradeMetrics,
    private readonly periodic: PeriodicWork,
    private readonly clock: Clock,
    private readonly auditLog: AuditLog,
  ) {}

  /** Before the session starts and the first request arrives: open requests of an earlier process become unknown. */
  async onModuleInit(): Promise<void> {
    this.auditLog.expect(this.journal.auditIn(this.audit));
    const { missing } = this.auditLog.status;
    if (missing !== null) this.logger.error({ missing }, 'the audit log lacks lines that were written');
    const found = await this.auditLines();
    await this.journal.trust.compare(auditEvidence(found, this.clock.nowMs()));
    this.audit.recordIn(this.journal);
    const isBehind = this.auditLog.behind > 0;
    // Also of nothing: which records have a line has to be known before the first record of this process.
    const lines = (await this.audit.written()) && isBehind ? await this.auditLines() : found;
    const audited = auditedSends(lines, this.journal.known, this.clock.nowMs());
    const requests = audited.requests.length;
    if (requests > 0) this.logger.warn({ requests }, 'the audit log has requests that the trade journal lacks');
    // While records wait for their lines, what the log lacks is theirs.
    if (this.auditLog.behind === 0) await this.addMissingLines(audited);
    for (const { record, intent } of await this.journal.recover(audited)) {
      this.metrics.interrupted();
      this.logger.warn({ intent_id: intent.id, key: record.clientOrderId }, 'a send was interrupted; looking it up');
    }
    this.periodic.start('journal-sweep', sweepPeriodMs, () => this.journal.sweep());
    this.periodic.start('journal-probe', probePeriodMs, async () => {
      if (!this.journal.isWritable) await this.journal.room.probe();
    });
  }

  /**
   * Writes the audit lines of outcomes that only the journal has. Before the recovery, which gives sends without an outcome
   * one, and a line for it.
   */
  private async addMissingLines({ open }: AuditedSends): Promise<void> {
    const missing = [...open].flatMap(([intentId, record]) => {
      const intent = this.journal.known.intent(intentId);
      return intent && intent.outcome.kind !== 'pending' ? outcomeEvent(record, intent, intent.outcome, null) : [];
    });
    if (missing.length === 0) return;
    this.logger.warn({ lines: missing.length }, 'the trade journal has outcomes that the audit log lacks');
    await Promise.all(missing.map((event) => this.audit.note(event)));
  }

  /**
   * The end of the audit log; more of it unless its newest mark is that of the journal. What only a lost journal had, keys and
   * fences of long ago among it, is there, and so is its mark: a journal that counts as lost leaves none.
   * @throws Error if the log cannot be read and the journal is new: keys that only the log has would be sent again
   */
  private async auditLines(): Promise<AuditLines> {
    let lines: AuditLines = [];
    try {
      lines = await this.auditLog.lastLines('recent');
      const { mark } = auditEvidence(lines, this.clock.nowMs());
      return this.journal.trust.isConfirmedBy(mark) ? lines : await this.auditLog.lastLines('wide', linesOfSends());
    } catch (cause) {
      const message = `the audit log cannot be read: ${systemErrorText(cause)}`;
      if (!this.journal.trust.isProven) throw new Error(message, { cause });
      this.logger.error({ err: cause }, message);
      return lines;
    }
  }

  /** After the sockets are closed, so that it contains the last requests. */
  async onApplicationShutdown(): Promise<void> {
    await this.audit.end();
    await this.journal.close();
  }
}
