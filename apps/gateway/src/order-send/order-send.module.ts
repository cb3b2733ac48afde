import { Module } from '@nestjs/common';
import { OrdersModule } from '../orders/orders.module';
import { PositionsModule } from '../positions/positions.module';
import { ServerTimeModule } from '../server-time/server-time.module';
import { TerminalModule } from '../terminal/terminal.module';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { OrderCheckService } from './order-check.service';
import { OrderSendController } from './order-send.controller';
import { OrderSendService } from './order-send.service';
import { OrderSendTerms } from './order-send-terms';

/** Trade requests in the terminal's own form. */
@Module({
  imports: [TerminalModule, ServerTimeModule, OrdersModule, PositionsModule, TradeJournalModule],
  controllers: [OrderSendController],
  providers: [OrderSendService, OrderCheckService, OrderSendTerms],
})
export class OrderSendModule {}
