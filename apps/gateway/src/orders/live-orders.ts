import { Injectable } from '@nestjs/common';
import { noPendingOrder } from '@libs/order-drafts';
import type { TerminalClient, TradeOrder } from '@libs/terminal-client';
import { LiveRows } from '../terminal/live-rows';

/** The pending orders of the account. */
@Injectable()
export class LiveOrders extends LiveRows<TradeOrder> {
  protected rows(terminal: TerminalClient, filter?: { readonly ticket: number }): Promise<TradeOrder[]> {
    return terminal.ordersGet(filter);
  }

  protected absence(ticket: number): string {
    return noPendingOrder(ticket);
  }

  protected isLoaded({ ticket }: TradeOrder): boolean {
    return ticket > 0;
  }

  protected known(): TradeOrder[] {
    return this.terminal.knownOrders();
  }
}
