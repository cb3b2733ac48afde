import { Module } from '@nestjs/common';
import { ServerTimeModule } from '../server-time/server-time.module';
import { SymbolsModule } from '../symbols/symbols.module';
import { TerminalModule } from '../terminal/terminal.module';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { FillConfirmation } from './fill-confirmation';
import { MarketReader } from './market-reader';
import { OrderPreparation } from './order-preparation.service';
import { PlaceOrderController } from './place-order.controller';
import { PlaceOrderService } from './place-order.service';

/** Placing, changing and cancelling orders. */
@Module({
  imports: [TerminalModule, SymbolsModule, ServerTimeModule, TradeJournalModule],
  controllers: [PlaceOrderController],
  providers: [MarketReader, FillConfirmation, OrderPreparation, PlaceOrderService],
  exports: [MarketReader, FillConfirmation],
})
export class OrdersModule {}
