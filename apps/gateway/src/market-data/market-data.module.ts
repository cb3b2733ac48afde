import { Module } from '@nestjs/common';
import { ServerTimeModule } from '../server-time/server-time.module';
import { TerminalModule } from '../terminal/terminal.module';
import { BarService } from './bar.service';
import { BarsController } from './bars.controller';
import { TickHistoryService } from './tick-history.service';
import { TicksController } from './ticks.controller';

@Module({
  imports: [TerminalModule, ServerTimeModule],
  controllers: [BarsController, TicksController],
  providers: [BarService, TickHistoryService],
})
export class MarketDataModule {}
