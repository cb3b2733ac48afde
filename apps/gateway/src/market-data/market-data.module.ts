import { Module } from '@nestjs/common';
import { ServerTimeModule } from '../server-time/server-time.module';
import { TerminalModule } from '../terminal/terminal.module';
import { BarService } from './bar.service';
import { BarsController } from './bars.controller';

@Module({
  imports: [TerminalModule, ServerTimeModule],
  controllers: [BarsController],
  providers: [BarService],
})
export class MarketDataModule {}
