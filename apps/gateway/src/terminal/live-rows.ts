import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import type { TerminalClient } from '@libs/terminal-client';
import { TerminalAccess } from './terminal-access';

/** The pending orders or the positions, read from the terminal at each call. */
@Injectable()
export abstract class LiveRows<Row> {
  constructor(private readonly terminal: TerminalAccess) {}

  /** Reads those of a ticket; all without one. */
  protected abstract rows(terminal: TerminalClient, filter?: { readonly ticket: number }): Promise<Row[]>;
  /** What to answer for a ticket that does not exist. */
  protected abstract absence(ticket: number): string;

  /** @throws ApiError terminal_unavailable when they could not be read */
  all(): Promise<Row[]> {
    return this.terminal.read((terminal) => this.rows(terminal));
  }

  /** @throws ApiError not_found for an unknown ticket; terminal_unavailable when it could not be read */
  async require(ticket: number): Promise<Row> {
    const row = await this.row(ticket);
    if (row === undefined) throw new ApiError('not_found', this.absence(ticket));
    return row;
  }

  /** The row, or null when it is gone or cannot be read at the moment. */
  async peek(ticket: number): Promise<Row | null> {
    try {
      return (await this.row(ticket)) ?? null;
    } catch {
      return null;
    }
  }

  private async row(ticket: number): Promise<Row | undefined> {
    const [row] = await this.terminal.read((terminal) => this.rows(terminal, { ticket }));
    return row;
  }
}
