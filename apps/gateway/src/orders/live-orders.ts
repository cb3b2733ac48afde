import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { noPendingOrder } from '@libs/order-drafts';
import type { TradeOrder } from '@libs/terminal-client';
import { TerminalAccess } from '../terminal/terminal-access';

/** Pending orders, read from the terminal at each call. */
@Injectable()
export class LiveOrders {
  constructor(private readonly terminal: TerminalAccess) {}

  all(): Promise<TradeOrder[]> {
    return this.terminal.read((terminal) => terminal.ordersGet());
  }

  /** @throws ApiError not_found for an unknown ticket; terminal_unavailable when it could not be read */
  async require(ticket: number): Promise<TradeOrder> {
    const [order] = await this.terminal.read((terminal) => terminal.ordersGet({ ticket }));
    if (!order) throw new ApiError('not_found', noPendingOrder(ticket));
    return order;
  }

  /** The order, or null when it is gone or cannot be read at the moment. */
  async peek(ticket: number): Promise<TradeOrder | null> {
    try {
      const [order] = await this.terminal.read((terminal) => terminal.ordersGet({ ticket }));
      return order ?? null;
    } catch {
      return null;
    }
  }
}
