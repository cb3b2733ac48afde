import { Module } from '@nestjs/common';
import { OrdersModule } from '../orders/orders.module';
import { ReadCacheModule } from '../read-cache/read-cache.module';
import { ServerTimeModule } from '../server-time/server-time.module';
import { SymbolsModule } from '../symbols/symbols.module';
import { TerminalModule } from '../terminal/terminal.module';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { ChangePositionsController } from './change-positions.controller';
import { CloseAll } from './close-all';
import { CloseByService } from './close-by.service';
import { CloseAllController } from './close-all.controller';
import { ClosePositionService } from './close-position.service';
import { FlattenService } from './flatten.service';
import { LivePositions } from './live-positions';
import { ModifyLevelsService } from './modify-levels.service';
import { PositionsController } from './positions.controller';

/** Positions: reading, closing, their levels, and flattening the account. */
@Module({
  imports: [TerminalModule, SymbolsModule, ServerTimeModule, OrdersModule, TradeJournalModule, ReadCacheModule],
  controllers: [PositionsController, ChangePositionsController, CloseAllController],
  providers: [LivePositions, ClosePositionService, CloseByService, ModifyLevelsService, CloseAll, FlattenService],
  exports: [FlattenService, LivePositions, ClosePositionService, CloseByService, ModifyLevelsService],
})
export class PositionsModule {}
