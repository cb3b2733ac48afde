import { Injectable } from '@nestjs/common';
import { suggestion } from '@libs/command-line';
import { ApiError } from '@libs/envelope';
import { SelectedSymbols } from './selected-symbols';
import { TerminalAccess } from '../terminal/terminal-access';

const longestName = 64;
/** A client that repeats a mistake must not have the terminal's list read each time. */
const mostRemembered = 200;

/** Says that the broker does not have a symbol, with the name that was probably meant. */
@Injectable()
export class UnknownSymbols {
  private readonly suggestions = new Map<string, string>();

  constructor(
    private readonly terminal: TerminalAccess,
    private readonly selected: SelectedSymbols,
  ) {}

  /**
   * The error for a symbol that the terminal does not show: not_found, or terminal_unavailable for one that it may not have loaded
   * yet, because an earlier session or an open position or order has it.
   */
  async error(symbol: string): Promise<ApiError> {
    const name = symbol.slice(0, longestName);
    if (this.isLoading(symbol)) {
      const message = `the terminal does not show ${name}, which it had before: its symbols are not loaded`;
      return new ApiError('terminal_unavailable', message, { details: { reason: 'symbol_not_loaded' } });
    }
    const hint = await this.suggestion(name);
    return new ApiError('not_found', `the broker has no symbol ${shown(name)}${hint}`, {
      details: { field: 'symbol', value: name, reason: 'unknown_symbol' },
    });
  }

  private isLoading(symbol: string): boolean {
    const open = [...this.terminal.knownPositions(), ...this.terminal.knownOrders()];
    return this.selected.isLoading(symbol) || open.some((row) => row.symbol === symbol);
  }

  private async suggestion(name: string): Promise<string> {
    const known = this.suggestions.get(name);
    if (known !== undefined) return known;
    const hint = suggestion(name, await this.alike(name)) ?? '';
    if (hint === '') return hint;
    if (this.suggestions.size >= mostRemembered) this.suggestions.clear();
    this.suggestions.set(name, hint);
    return hint;
  }

  /** Symbols that share the beginning or the end of the name: a broker has thousands. */
  private async alike(name: string): Promise<string[]> {
    const plain = name.toUpperCase().replace(/[^A-Z0-9]/g, '');
    const parts = [...new Set([plain.slice(0, 3), plain.slice(-3)])].filter((part) => part.length === 3);
    if (parts.length === 0) return [];
    try {
      const groups = parts.map((part) => `*${part}*`).join(',');
      const symbols = await this.terminal.read((terminal) => terminal.symbolsGet(groups));
      return symbols.map((symbol) => symbol.name);
    } catch {
      // The suggestion is only a help; the answer does not depend on it.
      return [];
    }
  }
}

/** A name as a text shows it: in quotes if a space or a control character would not be seen. */
function shown(name: string): string {
  return /^[^\s\p{C}]+( [^\s\p{C}]+)*$/u.test(name) ? name : JSON.stringify(name);
}
