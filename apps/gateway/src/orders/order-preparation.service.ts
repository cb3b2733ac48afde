import { Injectable } from '@nestjs/common';
import {
  onGrids,
  orderDrafts,
  orderOnMarket,
  orderWithinLimits,
  type OrderMarks,
  type ProposedOrder,
} from '@libs/order-drafts';
import type { OrderCheckResult, TradeRequest } from '@libs/terminal-client';
import { EntryLimitsGate } from '../entry-limits/entry-limits';
import { unlessRefused } from '../pre-trade/refusal-error';
import { ServerTime } from '../server-time/server-time';
import { TerminalAccess } from '../terminal/terminal-access';
import { parseInstant } from '../server-time/utc-instant';
import { MarketReader, type AgedMarket } from './market-reader';
import type { OrderRequest, TimeType } from './order.request';
import { serverExpiration } from './server-expiration';

/** An order that passed the checks: one request per permitted filling, preferred first. */
export interface PreparedOrder {
  readonly order: ProposedOrder;
  readonly market: AgedMarket;
  readonly drafts: readonly TradeRequest[];
}

interface Proposal {
  readonly proposed: ProposedOrder;
  readonly market: AgedMarket;
}

/** Builds the request of an order and runs every check that does not need a send. */
@Injectable()
export class OrderPreparation {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly reader: MarketReader,
    private readonly serverTime: ServerTime,
    private readonly entryLimits: EntryLimitsGate,
  ) {}

  /** @throws ApiError of the first check that fails; the broker is untouched */
  async prepare(body: OrderRequest & TimeType, marks: OrderMarks): Promise<PreparedOrder> {
    const { proposed, market } = await this.propose(body);
    const order = unlessRefused(orderOnMarket(proposed, market, this.reader.limits, this.terminal.isHedging));
    return this.draft(order, market, marks);
  }

  /** As {@link prepare}, but leaves the checks against the market to the terminal. */
  async prepareForCheck(body: OrderRequest & TimeType, marks: OrderMarks): Promise<PreparedOrder> {
    const { proposed, market } = await this.propose(body);
    const order = unlessRefused(onGrids(proposed, market));
    await this.entryLimits.check(order);
    return this.draft(order, market, marks);
  }

  /** The terminal's check of a request, without sending it. */
  check(request: TradeRequest): Promise<OrderCheckResult> {
    return this.terminal.read((terminal) => terminal.orderCheck(request));
  }

  /** The order by the limits that need no market, and its market. */
  private async propose(body: OrderRequest & TimeType): Promise<Proposal> {
    const expirationMs = body.expiration == null ? null : parseInstant(body.expiration);
    const proposed = unlessRefused(orderWithinLimits({ ...body, expirationMs }, this.reader.limits));
    await this.terminal.connected();
    return { proposed, market: await this.reader.market(proposed.symbol) };
  }

  private async draft(order: ProposedOrder, market: AgedMarket, marks: OrderMarks): Promise<PreparedOrder> {
    const expiration = await serverExpiration(this.serverTime, order.symbol, order.expirationMs);
    return { order, market, drafts: orderDrafts(order, market, marks, expiration) };
  }
}
