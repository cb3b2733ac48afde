import { Module } from '@nestjs/common';
import { OrdersModule } from '../orders/orders.module';
import { ServerTimeModule } from '../server-time/server-time.module';
import { TerminalModule } from '../terminal/terminal.module';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { ChangePositionsController } from './change-positions.controller';
import { ClosePositionService } from './close-position.service';
import { LivePositions } from './live-positions';
import { ModifyLevelsService } from './modify-levels.service';
import { PositionsController } from './positions.controller';

/** Positions: reading, closing, and their levels. */
@Module({
  imports: [TerminalModule, ServerTimeModule, OrdersModule, TradeJournalModule],
  controllers: [PositionsController, ChangePositionsController],
  providers: [LivePositions, ClosePositionService, ModifyLevelsService],
  exports: [LivePositions, ClosePositionService],
})
export class PositionsModule {}
