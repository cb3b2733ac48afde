import { Module } from '@nestjs/common';
import { ServerTimeModule } from '../server-time/server-time.module';
import { SymbolsModule } from '../symbols/symbols.module';
import { TerminalModule } from '../terminal/terminal.module';
import { BarService } from './bar.service';
import { BarsController } from './bars.controller';
import { ServerTimeController } from './server-time.controller';
import { TickHistoryService } from './tick-history.service';
import { TicksController } from './ticks.controller';

@Module({
  imports: [TerminalModule, ServerTimeModule, SymbolsModule],
  controllers: [BarsController, TicksController, ServerTimeController],
  providers: [BarService, TickHistoryService],
})
export class MarketDataModule {}
