import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { TerminalAccess } from '../terminal/terminal-access';

/** Makes the terminal quote the symbols of a stream. */
@Injectable()
export class SymbolSelection {
  constructor(private readonly terminal: TerminalAccess) {}

  /** @throws ApiError not_found naming the symbols that the broker does not have */
  async select(symbols: readonly string[]): Promise<void> {
    const unknown = await this.terminal.read(async (terminal) => {
      const selected = await Promise.all(symbols.map((symbol) => terminal.symbolSelect(symbol, true)));
      return symbols.filter((_symbol, index) => selected[index] !== true);
    });
    if (unknown.length > 0) throw new ApiError('not_found', `no symbol ${unknown.join(', ').slice(0, 200)}`);
  }
}
