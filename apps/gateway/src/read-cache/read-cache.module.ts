import { Module } from '@nestjs/common';
import { ServerTimeModule } from '../server-time/server-time.module';
import { TerminalModule } from '../terminal/terminal.module';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { ReadCache } from './read-cache';

/** Keeps the bodies of reads of the account until they change. */
@Module({
  imports: [TerminalModule, ServerTimeModule, TradeJournalModule],
  providers: [ReadCache],
  exports: [ReadCache],
})
export class ReadCacheModule {}
