import { Injectable } from '@nestjs/common';
import { noOpenPosition } from '@libs/order-drafts';
import type { TerminalClient, TradePosition } from '@libs/terminal-client';
import { LiveRows } from '../terminal/live-rows';

/** The open positions of the account. Every close and modification starts from such a read. */
@Injectable()
export class LivePositions extends LiveRows<TradePosition> {
  protected rows(terminal: TerminalClient, filter?: { readonly ticket: number }): Promise<TradePosition[]> {
    return terminal.positionsGet(filter);
  }

  protected absence(ticket: number): string {
    return noOpenPosition(ticket);
  }

  /** On a netting account a close is an order of the symbol: of a position that is gone, it would open the opposite one. */
  protected known(): TradePosition[] {
    return this.terminal.isHedging ? this.terminal.knownPositions() : [];
  }
}
