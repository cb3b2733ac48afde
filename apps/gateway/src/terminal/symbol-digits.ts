import { Injectable } from '@nestjs/common';
import { TerminalClient } from '@libs/terminal-client';

/** The digits of the prices of symbols, for texts. A symbol is read once; one that cannot be read now has no digits yet. */
@Injectable()
export class SymbolDigits {
  private readonly known = new Map<string, number>();

  constructor(private readonly terminal: TerminalClient) {}

  /** Undefined while they are not known. */
  of(symbol: string): number | undefined {
    return this.known.get(symbol);
  }

  /** Reads those that are not known. Never rejects: a text without them is better than none. */
  async learn(symbols: readonly string[]): Promise<void> {
    try {
      for (const symbol of new Set(symbols)) {
        if (symbol === '' || this.known.has(symbol)) continue;
        const info = await this.terminal.symbolInfo(symbol);
        if (info !== null) this.known.set(symbol, info.digits);
      }
    } catch {
      // The terminal does not answer.
    }
  }
}
