import { Injectable } from '@nestjs/common';
import {
  cancelDraft,
  changeDraft,
  changeRefusal,
  closeDrafts,
  levelsDraft,
  symbolAllowed,
  terminalComment,
  tryFillings,
  type OrderChange,
} from '@libs/order-drafts';
import type { OrderCheckResult, TradeRequest } from '@libs/terminal-client';
import { LiveOrders } from '../orders/live-orders';
import { MarketReader } from '../orders/market-reader';
import { OrderPreparation } from '../orders/order-preparation.service';
import { CloseByService } from '../positions/close-by.service';
import { ClosePositionService, type CloseOrder } from '../positions/close-position.service';
import { unlessRefused } from '../pre-trade/refusal-error';
import { TerminalAccess } from '../terminal/terminal-access';
import type { OrderSendRequest } from './order-send.request';
import { OrderSendTerms } from './order-send-terms';
import { plannedSend, type PlannedSend } from './planned-send';

/** Asks the terminal's opinion on what POST /order_send would send. Nothing is sent. */
@Injectable()
export class OrderCheckService {
  constructor(
    private readonly preparation: OrderPreparation,
    private readonly closing: ClosePositionService,
    private readonly closingBy: CloseByService,
    private readonly orders: LiveOrders,
    private readonly reader: MarketReader,
    private readonly terms: OrderSendTerms,
    private readonly terminal: TerminalAccess,
  ) {}

  async check(body: OrderSendRequest): Promise<OrderCheckResult> {
    const drafts = await this.drafts(unlessRefused(plannedSend(body)));
    return tryFillings(
      drafts,
      (draft) => this.preparation.check(draft),
      ({ retcode }) => retcode,
    );
  }

  private async drafts(planned: PlannedSend): Promise<readonly TradeRequest[]> {
    switch (planned.kind) {
      case 'order': {
        const order = { ...planned.order, ...this.terms.expiration(planned.expiration) };
        const marks = { magic: order.magic ?? 0, comment: terminalComment(order.comment ?? '') };
        return (await this.preparation.prepareForCheck(order, marks)).drafts;
      }
      case 'close':
        return this.close(planned.order);
      case 'close_by':
        return [(await this.closingBy.planned(planned.order, terminalComment(planned.order.comment ?? ''))).request];
      case 'levels': {
        const position = await this.terms.position(planned.ticket, planned.symbol);
        return [unlessRefused(levelsDraft(position, planned.change, await this.reader.market(position.symbol)))];
      }
      case 'modify':
        return [await this.modify(planned)];
      case 'cancel':
        await this.terminal.connected();
        return [cancelDraft(await this.orders.requireForExit(planned.ticket))];
    }
  }

  private async close(order: CloseOrder): Promise<TradeRequest[]> {
    const { position, volume, market, terms } = await this.closing.planned(order);
    return closeDrafts(position, volume, market, { ...terms, comment: terminalComment(terms.comment ?? '') });
  }

  private async modify({ ticket, change, expiration }: PlannedSend & { kind: 'modify' }): Promise<TradeRequest> {
    await this.terminal.connected();
    const order = await this.orders.require(ticket);
    const { limits } = this.reader;
    unlessRefused(symbolAllowed(order, limits));
    const market = await this.reader.market(order.symbol);
    const utc = this.terms.expiration(expiration).expiration;
    const wanted: OrderChange = { ...change, expirationMs: utc === undefined ? null : Date.parse(utc) };
    const draft = unlessRefused(changeDraft(order, wanted, market.info, expiration));
    unlessRefused(changeRefusal(order, wanted, draft, market, limits));
    return draft;
  }
}
