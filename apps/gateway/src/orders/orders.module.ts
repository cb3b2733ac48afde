import { Module } from '@nestjs/common';
import { EntryLimitsModule } from '../entry-limits/entry-limits.module';
import { ServerTimeModule } from '../server-time/server-time.module';
import { SymbolsModule } from '../symbols/symbols.module';
import { TerminalModule } from '../terminal/terminal.module';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { CalculatorsController } from './calculators.controller';
import { CancelOrderService } from './cancel-order.service';
import { ChangeTurns } from './change-turns';
import { FillConfirmation } from './fill-confirmation';
import { KeptValues } from './kept-values';
import { LiveOrders } from './live-orders';
import { MarketReader } from './market-reader';
import { ModifyOrderService } from './modify-order.service';
import { OrderPreparation } from './order-preparation.service';
import { OrdersController } from './orders.controller';
import { PlaceOrderController } from './place-order.controller';
import { PlaceOrderService } from './place-order.service';

/** Placing, changing and cancelling orders, and the checks and calculations. */
@Module({
  imports: [TerminalModule, SymbolsModule, ServerTimeModule, TradeJournalModule, EntryLimitsModule],
  controllers: [PlaceOrderController, OrdersController, CalculatorsController],
  providers: [
    MarketReader,
    LiveOrders,
    FillConfirmation,
    OrderPreparation,
    PlaceOrderService,
    ModifyOrderService,
    CancelOrderService,
    ChangeTurns,
    KeptValues,
  ],
  exports: [
    MarketReader,
    FillConfirmation,
    LiveOrders,
    OrderPreparation,
    PlaceOrderService,
    ModifyOrderService,
    CancelOrderService,
    ChangeTurns,
    KeptValues,
  ],
})
export class OrdersModule {}
