import { Module } from '@nestjs/common';
import { ServerTimeModule } from '../server-time/server-time.module';
import { TerminalModule } from '../terminal/terminal.module';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { AccountViewReader } from './account-view';
import { EntryLimitsGate } from './entry-limits';
import { EntryLimitsReport } from './entry-limits-report';
import { entryLimitsMetrics } from './entry-limits.metrics';

/** The limits that bound a runaway client: rate of entries, open volume and loss of the day. */
@Module({
  imports: [TerminalModule, ServerTimeModule, TradeJournalModule],
  providers: [AccountViewReader, EntryLimitsGate, EntryLimitsReport, ...entryLimitsMetrics],
  exports: [AccountViewReader, EntryLimitsGate, EntryLimitsReport],
})
export class EntryLimitsModule {}
