import { Injectable } from '@nestjs/common';
import type { Decimal } from 'decimal.js';
import { netVolume } from '@libs/account-evidence';
import type { ApiError } from '@libs/envelope';
import { noOpenPosition } from '@libs/order-drafts';
import {
  DealEntry,
  PositionType,
  type TerminalClient,
  type TradeDeal,
  type TradePosition,
} from '@libs/terminal-client';
import { NotSynchronizedError } from '../account-evidence/not-synchronized.error';
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

  protected isLoaded({ ticket, symbol, volume }: TradePosition): boolean {
    return ticket > 0 && symbol !== '' && volume > 0;
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

  /** A position as it was last explained. */
  lastKnown(identifier: number): TradePosition | undefined {
    return this.terminal.knownPositions().find((known) => known.identifier === identifier);
  }

  /** Lots of a position that its deals leave open on the side on which it is shown; null if the history does not say. */
  async lotsByDeals({ identifier, type }: TradePosition): Promise<number | null> {
    const deals = await this.dealsOf(identifier).catch(() => []);
    return deals.some(isOpening) ? lotsOn(type, deals).toNumber() : null;
  }

  /**
   * A position that is shown as it was before its latest deals is as large as they leave it, if that is less. On a netting account a
   * close is an order of the symbol: of a position that its deals have closed or turned, or that is shown on the other side than it
   * is, it would open the opposite one or make it larger.
   */
  protected override async surely(row: TradePosition, doubt: ApiError): Promise<TradePosition | null> {
    const isOld = isBehind(row, doubt);
    if (this.terminal.isHedging && !isOld) return row;
    const read = this.dealsOf(row.identifier);
    // A history that cannot be read must keep nothing open of which it has not shown a later deal.
    const deals = await (isOld ? read : read.catch(() => []));
    if (!deals.some(isOpening)) {
      // They do not say how much is open.
      const known = this.lastKnown(row.identifier);
      return this.terminal.isHedging || !known || known.type === row.type ? row : null;
    }
    const open = lotsOn(row.type, deals);
    if (open.lte(0)) return this.terminal.isHedging ? row : null;
    return open.lt(row.volume) ? { ...row, volume: open.toNumber() } : row;
  }

  private dealsOf(position: number): Promise<TradeDeal[]> {
    return this.terminal.readShown((shown) => shown.historyDealsGet({ position }));
  }

  /** On a netting account a close is an order of the symbol: of a position that is gone, it would open the opposite one. */
  protected known(): TradePosition[] {
    return this.terminal.isHedging ? this.terminal.knownPositions() : [];
  }
}

function isOpening({ entry }: TradeDeal): boolean {
  return entry === DealEntry.IN;
}

/** Lots that deals leave open on a side. @param type of a position */
function lotsOn(type: number, deals: readonly TradeDeal[]): Decimal {
  const net = netVolume(deals);
  return type === PositionType.BUY ? net : net.negated();
}

/** Whether the list shows a position as it was before deals that the history has. */
function isBehind({ ticket }: TradePosition, { cause }: ApiError): boolean {
  const unexplained = cause instanceof NotSynchronizedError ? cause.unexplained : [];
  return unexplained.some((one) => one.kind === 'position_behind' && one.ticket === ticket);
}
