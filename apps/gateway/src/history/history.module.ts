import { Module } from '@nestjs/common';
import { ServerTimeModule } from '../server-time/server-time.module';
import { TerminalModule } from '../terminal/terminal.module';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { HistoryController } from './history.controller';
import { HistoryService } from './history.service';
import { LastErrorController } from './last-error.controller';

@Module({
  imports: [TerminalModule, ServerTimeModule, TradeJournalModule],
  controllers: [HistoryController, LastErrorController],
  providers: [HistoryService],
})
export class HistoryModule {}
