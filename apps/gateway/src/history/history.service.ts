import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import type { LastError, TradeDeal, TradeOrder } from '@libs/terminal-client';
import { ServerTime } from '../server-time/server-time';
import { BrokerClock } from '../terminal/broker-clock';
import { TerminalAccess } from '../terminal/terminal-access';
import { isInside, terminalWindow, type HistoryWindow } from './history-window';
import { summarizePosition, type PositionSummary } from './position-summary';

/** Orders and deals of the past. A read that failed is an error, never an empty list. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly serverTime: ServerTime,
    private readonly clock: BrokerClock,
  ) {}

  async deals(window: HistoryWindow): Promise<TradeDeal[]> {
    const asked = terminalWindow(window, this.serverTime, this.clock.nowMs());
    const deals = await this.terminal.read((terminal) => terminal.historyDealsGet(asked));
    return deals.filter(({ time_msc }) => isInside(window, this.serverTime, time_msc));
  }

  /** @param window null for the position's whole life */
  async dealsOfPosition(position: number, window: HistoryWindow | null): Promise<TradeDeal[]> {
    const deals = await this.terminal.read((terminal) => terminal.historyDealsGet({ position }));
    return window ? deals.filter(({ time_msc }) => isInside(window, this.serverTime, time_msc)) : deals;
  }

  /** Orders that were placed or came to their end in the window. */
  async orders(window: HistoryWindow): Promise<TradeOrder[]> {
    const asked = terminalWindow(window, this.serverTime, this.clock.nowMs());
    const orders = await this.terminal.read((terminal) => terminal.historyOrdersGet(asked));
    return orders.filter(
      (order) =>
        isInside(window, this.serverTime, order.time_setup_msc) ||
        isInside(window, this.serverTime, order.time_done_msc),
    );
  }

  /** The order of a ticket out of the history; none when it is unknown or still pending. */
  async ordersOfTicket(ticket: number): Promise<TradeOrder[]> {
    return this.terminal.read((terminal) => terminal.historyOrdersGet({ ticket }));
  }

  /** @throws ApiError not_found for a position that never had a deal */
  async positionSummary(position: number): Promise<PositionSummary> {
    const deals = await this.dealsOfPosition(position, null);
    if (deals.length === 0) throw new ApiError('not_found', `no deals of position ${position}`);
    return summarizePosition(deals);
  }

  /** A pending order or one of the past. @throws ApiError not_found */
  async order(ticket: number): Promise<TradeOrder> {
    // In this order: an order moves from the pending ones to the history and never back.
    const [pending] = await this.terminal.read((terminal) => terminal.ordersGet({ ticket }));
    const order = pending ?? (await this.ordersOfTicket(ticket))[0];
    if (!order) throw new ApiError('not_found', `no order ${ticket}`);
    return order;
  }

  async lastError(): Promise<LastError> {
    return this.terminal.read((terminal) => terminal.lastError());
  }
}
