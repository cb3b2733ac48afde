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
   * The error for symbols that the terminal does not show: not_found, or terminal_unavailable if it may not have loaded one of them
   * yet, because an earlier session or an open position or order has it, or the session is young.
   */
  async error(symbols: readonly string[]): Promise<ApiError> {
    const loading = symbols.find((symbol) => this.isLoading(symbol));
    if (loading !== undefined) return this.notLoaded(loading);
    if (symbols.length > 1) {
      return new ApiError('not_found', `the broker has no symbols ${symbols.join(', ').slice(0, 200)}`, {
        details: { field: 'symbols', value: symbols.slice(0, 20), reason: 'unknown_symbol' },
      });
    }
    const name = (symbols[0] ?? '').slice(0, longestName);
    const hint = await this.suggestion(name);
    return new ApiError('not_found', `the broker has no symbol ${shown(name)}${hint}`, {
      details: { field: 'symbol', value: name, reason: 'unknown_symbol' },
    });
  }

  /** The terminal has shown bars or ticks of a symbol: a later session that does not show it has not loaded it. */
  noteShown(symbol: string): void {
    this.selected.noteShown(symbol);
  }

  /** Whether a symbol that the terminal does not show may not be loaded yet. */
  isLoading(symbol: string): boolean {
    return this.isKnown(symbol) || this.selected.isLoading(symbol, this.terminal.isReturning);
  }

  /**
   * Refuses a list of symbols that lacks one which is known: it is not loaded.
   * @param names what the list has
   * @param isPart of a part of the symbols, the terminal alone knows what belongs to it; only those that are in doubt are then asked for
   * @throws ApiError terminal_unavailable
   */
  async requireLoaded(names: readonly string[], isPart: boolean): Promise<void> {
    const { awaited } = this.selected;
    const known = isPart ? awaited : [...awaited, ...this.openRows.map((row) => row.symbol)];
    if (known.length === 0) return;
    const listed = new Set(isPart ? await this.namesOf(known.join(',')) : names);
    const lacking = known.find((symbol) => !listed.has(symbol));
    if (lacking !== undefined) throw await this.notLoaded(lacking);
  }

  private async notLoaded(symbol: string): Promise<ApiError> {
    const name = symbol.slice(0, longestName);
    const why = this.isKnown(symbol)
      ? `the terminal does not show ${name}, which it had before: its symbols are not loaded`
      : `the terminal does not show ${shown(name)}; a session may take a minute to load its symbols${await this.suggestion(name)}`;
    return new ApiError('terminal_unavailable', why, { details: { reason: 'symbol_not_loaded' } });
  }

  /** Whether an earlier session, or an open position or order, has a symbol that this session does not show. */
  private isKnown(symbol: string): boolean {
    return this.selected.awaited.includes(symbol) || this.openRows.some((row) => row.symbol === symbol);
  }

  private get openRows(): readonly { readonly symbol: string }[] {
    return [...this.terminal.knownPositions(), ...this.terminal.knownOrders()];
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
      return await this.namesOf(groups);
    } catch {
      // The suggestion is only a help; the answer does not depend on it.
      return [];
    }
  }

  private async namesOf(group: string): Promise<string[]> {
    const symbols = await this.terminal.read((terminal) => terminal.symbolsGet(group));
    return symbols.map(({ name }) => name);
  }
}

/** A name as a text shows it: in quotes if a space or a control character would not be seen. */
function shown(name: string): string {
  return /^[^\s\p{C}]+( [^\s\p{C}]+)*$/u.test(name) ? name : JSON.stringify(name);
}
