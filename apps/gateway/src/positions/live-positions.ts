import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { noOpenPosition } from '@libs/order-drafts';
import type { TradePosition } from '@libs/terminal-client';
import { TerminalAccess } from '../terminal/terminal-access';

/** Positions, read from the terminal at each call. Every close and modification starts from such a read. */
@Injectable()
export class LivePositions {
  constructor(private readonly terminal: TerminalAccess) {}

  all(): Promise<TradePosition[]> {
    return this.terminal.read((terminal) => terminal.positionsGet());
  }

  /** @throws ApiError not_found for an unknown ticket; terminal_unavailable when it could not be read */
  async require(ticket: number): Promise<TradePosition> {
    const [position] = await this.terminal.read((terminal) => terminal.positionsGet({ ticket }));
    if (!position) throw new ApiError('not_found', noOpenPosition(ticket));
    return position;
  }

  /** The position, or null when it is gone or cannot be read at the moment. */
  async peek(ticket: number): Promise<TradePosition | null> {
    try {
      const [position] = await this.terminal.read((terminal) => terminal.positionsGet({ ticket }));
      return position ?? null;
    } catch {
      return null;
    }
  }
}
