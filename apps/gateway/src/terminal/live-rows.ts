import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import type { TerminalClient } from '@libs/terminal-client';
import { TerminalAccess } from './terminal-access';

/** The pending orders or the positions, read from the terminal at each call. */
@Injectable()
export abstract class LiveRows<Row extends { readonly ticket: number }> {
  constructor(protected readonly terminal: TerminalAccess) {}

  /** Reads those of a ticket; all without one. */
  protected abstract rows(terminal: TerminalClient, filter?: { readonly ticket: number }): Promise<Row[]>;
  /** What to answer for a ticket that does not exist. */
  protected abstract absence(ticket: number): string;
  /** The rows as they were last explained, if their exit is safe although no list shows them. */
  protected abstract known(): Row[];

  /** Whether a row has all that its exit needs. */
  protected abstract isLoaded(row: Row): boolean;

  /**
   * A row that is shown, with what surely is open of it; null if an exit could do something else.
   * @param doubt why the account is not explained
   */
  protected surely(row: Row, _doubt: ApiError): Promise<Row | null> {
    return Promise.resolve(row);
  }

  /** @throws ApiError terminal_unavailable when they could not be read */
  all(): Promise<Row[]> {
    return this.terminal.read((terminal) => this.rows(terminal));
  }

  /**
   * All that may be open, for exits: the rows of the list, and the last explained ones while the list is not explained. The
   * broker refuses the exit of what is not open.
   * @param unseen what a look right before it left open
   * @returns also why there may be more; null if these are all
   */
  async forExits(unseen: ApiError | null = null): Promise<{ readonly rows: Row[]; readonly doubt: ApiError | null }> {
    try {
      const rows = await this.all();
      const doubt = this.terminal.unexplained ?? unseen;
      return { rows: doubt === null ? rows : await this.allSurely(rows, doubt), doubt };
    } catch (error) {
      if (!isDoubt(error)) throw error;
      const shown = await this.terminal.readShown((terminal) => this.rows(terminal));
      const loaded = shown.filter((row) => this.isLoaded(row));
      const rows = [...new Map([...this.known(), ...loaded].map((row) => [row.ticket, row])).values()];
      return { rows: await this.allSurely(rows, error), doubt: error };
    }
  }

  /**
   * @throws ApiError not_found for an unknown ticket; account_not_synchronized while the lists are not explained;
   * terminal_unavailable when it could not be read
   */
  async require(ticket: number): Promise<Row> {
    const row = await this.row(ticket);
    if (row !== undefined) return row;
    throw this.terminal.unexplained ?? new ApiError('not_found', this.absence(ticket));
  }

  /** As {@link require}, but the row that is shown, or the last explained one, while the list is not explained. */
  async requireForExit(ticket: number): Promise<Row> {
    try {
      return await this.require(ticket);
    } catch (error) {
      if (!isDoubt(error)) throw error;
      const shown = await this.terminal.readShown((terminal) => this.rows(terminal, { ticket }));
      const row = shown.find((one) => this.isLoaded(one)) ?? this.known().find((known) => known.ticket === ticket);
      const surely = row && (await this.surely(row, error));
      if (!surely) throw error;
      return surely;
    }
  }

  /** The row, or null when it is gone or cannot be read at the moment. */
  async peek(ticket: number): Promise<Row | null> {
    try {
      return (await this.row(ticket)) ?? null;
    } catch {
      return null;
    }
  }

  private async allSurely(rows: readonly Row[], doubt: ApiError): Promise<Row[]> {
    const surely: Row[] = [];
    for (const row of rows) {
      const one = await this.surely(row, doubt);
      if (one !== null) surely.push(one);
    }
    return surely;
  }

  private async row(ticket: number): Promise<Row | undefined> {
    const [row] = await this.terminal.read((terminal) => this.rows(terminal, { ticket }));
    return row;
  }
}

/**
 * Whether a list may be there, and cannot be believed: nothing explains it, or what would explain it cannot be read. That must keep no
 * known ticket open. A terminal that is away fails the next read as well.
 */
function isDoubt(error: unknown): error is ApiError {
  const doubts = ['account_not_synchronized', 'terminal_unavailable'];
  return error instanceof ApiError && doubts.includes(error.errorType);
}
