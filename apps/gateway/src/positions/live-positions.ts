import { Injectable } from '@nestjs/common';
import { noOpenPosition } from '@libs/order-drafts';
import type { TerminalClient, TradePosition } from '@libs/terminal-client';
import { LiveRows } from '../terminal/live-rows';
import type { SendGuard } from '../trade-journal/trade-sender';

/** The open positions of the account. Every close and modification starts from such a read. */
@Injectable()
export class LivePositions extends LiveRows<TradePosition> {
  protected rows(terminal: TerminalClient, filter?: { readonly ticket: number }): Promise<TradePosition[]> {
    return terminal.positionsGet(filter);
  }

  protected absence(ticket: number): string {
    return noOpenPosition(ticket);
  }

  /**
   * The deals of a position of a netting account that is shown with magic 0: there the last entry decides whose it is. None for any
   * other, or if they cannot be read, which must not keep a position open.
   */
  async dealsOfUnmarked({ identifier, magic }: TradePosition): Promise<Pick<SendGuard, 'deals'>> {
    if (magic !== 0 || this.terminal.isHedging) return {};
    try {
      return { deals: await this.terminal.readShown((shown) => shown.historyDealsGet({ position: identifier })) };
    } catch {
      return { deals: [] };
    }
  }

  /** The position now; null if it is gone, undefined if it cannot be read. */
  async now({ ticket, identifier }: TradePosition): Promise<TradePosition | null | undefined> {
    try {
      const rows = await this.terminal.read((terminal) => terminal.positionsGet({ ticket }));
      return rows.find((row) => row.identifier === identifier) ?? null;
    } catch {
      return undefined;
    }
  }

  /** On a netting account a close is an order of the symbol: of a position that is gone, it would open the opposite one. */
  protected known(): TradePosition[] {
    return this.terminal.isHedging ? this.terminal.knownPositions() : [];
  }
}
