import { Module } from '@nestjs/common';
import { ServerTimeModule } from '../server-time/server-time.module';
import { TerminalModule } from '../terminal/terminal.module';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { OutcomeResolver } from './outcome-resolver';
import { ReconcileService } from './reconcile.service';
import { ReconciliationController } from './reconciliation.controller';
import { VoidKeyService } from './void-key.service';

/** What the broker has against what the journal says, and finding out what is unknown. */
@Module({
  imports: [TerminalModule, ServerTimeModule, TradeJournalModule],
  controllers: [ReconciliationController],
  providers: [OutcomeResolver, ReconcileService, VoidKeyService],
})
export class ReconciliationModule {}
