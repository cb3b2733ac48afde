import { Injectable } from '@nestjs/common';
import { ApiError, validationError } from '@libs/envelope';
import { noOpenPositionOf } from '@libs/order-drafts';
import type { TradePosition } from '@libs/terminal-client';
import { LivePositions } from '../positions/live-positions';
import { ServerTime } from '../server-time/server-time';
import { TerminalAccess } from '../terminal/terminal-access';

/** What a request in the terminal's form leaves to be looked up. */
@Injectable()
export class OrderSendTerms {
  constructor(
    private readonly positions: LivePositions,
    private readonly terminal: TerminalAccess,
    private readonly serverTime: ServerTime,
  ) {}

  /** Services take instants in UTC. */
  expiration(serverSeconds: number | null): { readonly expiration?: string } {
    if (serverSeconds === null) return {};
    const expiration = this.serverTime.utcIso(serverSeconds);
    if (expiration !== null) return { expiration };
    const message = 'the expiration cannot be converted: the broker server time is unknown';
    throw new ApiError('server_time_unavailable', message, { details: { reason: 'unknown' } });
  }

  /** The ticket of the position whose levels are changed. A symbol that is also given must be its own. */
  async positionOf(ticket: number | null, symbol: string | null): Promise<number> {
    await this.terminal.connected();
    if (ticket !== null && symbol === null) return ticket;
    return (await this.position(ticket, symbol)).ticket;
  }

  /** As {@link positionOf}, but the position. */
  async position(ticket: number | null, symbol: string | null): Promise<TradePosition> {
    await this.terminal.connected();
    if (ticket !== null) {
      const position = await this.positions.require(ticket);
      if (symbol === null || position.symbol === symbol) return position;
      throw validationError({ field: 'symbol', problem: `position ${ticket} is of ${position.symbol}` });
    }
    if (this.terminal.isHedging) {
      const problem = 'is missing: on a hedging account give the ticket of the position';
      throw validationError({ field: 'position', problem });
    }
    const open = (await this.positions.all()).find((position) => position.symbol === symbol);
    if (open) return open;
    throw this.terminal.unexplained ?? new ApiError('not_found', noOpenPositionOf(symbol ?? ''));
  }
}
