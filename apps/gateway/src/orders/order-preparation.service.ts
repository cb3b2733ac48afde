import { Injectable } from '@nestjs/common';
import { OrderFilling, type OrderCheckResult, type TradeRequest } from '@libs/terminal-client';
import { EntryLimitsGate } from '../entry-limits/entry-limits';
import { permittedFillings } from '../pre-trade/fillings';
import { requireFitForMarket, requireWithinLimits } from '../pre-trade/pre-trade-checks';
import type { Market, OrderLimits, ProposedOrder } from '../pre-trade/proposed-order';
import { ServerTime } from '../server-time/server-time';
import { TerminalAccess } from '../terminal/terminal-access';
import { MarketReader } from './market-reader';
import { onGrids, orderDraft, type OrderMarks } from './order-draft';
import { serverExpiration } from './server-expiration';

/** An order that passed our checks: the same request once for each filling that may be tried, best first. */
export interface PreparedOrder {
  readonly order: ProposedOrder;
  readonly market: Market;
  readonly drafts: readonly TradeRequest[];
}

/** Makes the request of an order, with everything about it checked that can be checked without sending. */
@Injectable()
export class OrderPreparation {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly reader: MarketReader,
    private readonly serverTime: ServerTime,
    private readonly entryLimits: EntryLimitsGate,
  ) {}

  /** The limits of the operator. */
  get limits(): OrderLimits {
    return this.reader.limits;
  }

  /** @throws ApiError of the first check that fails; the broker is untouched */
  async prepare(proposed: ProposedOrder, marks: OrderMarks): Promise<PreparedOrder> {
    requireWithinLimits(proposed, this.reader.limits);
    await this.terminal.connected();
    const market = await this.reader.market(proposed.symbol);
    const order = onGrids(proposed, market);
    requireFitForMarket(order, market, this.reader.limits);
    return this.draft(order, market, marks);
  }

  /** As {@link prepare}, but the judgement of the market is left to the terminal's own check. */
  async prepareForCheck(proposed: ProposedOrder, marks: OrderMarks): Promise<PreparedOrder> {
    requireWithinLimits(proposed, this.reader.limits);
    await this.terminal.connected();
    const market = await this.reader.market(proposed.symbol);
    const order = onGrids(proposed, market);
    await this.entryLimits.check(order);
    return this.draft(order, market, marks);
  }

  /** What the terminal says to a request, without sending it. */
  check(request: TradeRequest): Promise<OrderCheckResult> {
    return this.terminal.read((terminal) => terminal.orderCheck(request));
  }

  private async draft(order: ProposedOrder, market: Market, marks: OrderMarks): Promise<PreparedOrder> {
    const expiration = await serverExpiration(this.serverTime, order.symbol, order.expirationMs);
    const fillings: readonly OrderFilling[] =
      order.filling === null ? permittedFillings(order.type, market.info) : [order.filling];
    return { order, market, drafts: fillings.map((filling) => orderDraft(order, market, marks, filling, expiration)) };
  }
}
