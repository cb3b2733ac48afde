import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { OrdersModule } from '../orders/orders.module';
import { ServerTimeModule } from '../server-time/server-time.module';
import { TerminalModule } from '../terminal/terminal.module';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { LookUps } from './look-ups';
import { OpenDifferences } from './open-differences';
import { OutcomeRecords } from './outcome-records';
import { OutcomeResolver } from './outcome-resolver';
import { ReconcileService } from './reconcile.service';
import { ReconciliationController } from './reconciliation.controller';
import { AcceptOutcomeService } from './accept-outcome.service';

/** Reconciliation of broker and journal, and recovery of unknown outcomes. */
@Module({
  imports: [AuditModule, OrdersModule, TerminalModule, ServerTimeModule, TradeJournalModule],
  controllers: [ReconciliationController],
  exports: [OpenDifferences],
  providers: [OpenDifferences, LookUps, OutcomeRecords, OutcomeResolver, ReconcileService, AcceptOutcomeService],
})
export class ReconciliationModule {}
