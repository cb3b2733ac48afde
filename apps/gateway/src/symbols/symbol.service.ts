import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import type { SymbolInfo, Tick } from '@libs/terminal-client';
import { TerminalAccess } from '../terminal/terminal-access';
import { SelectedSymbols } from './selected-symbols';
import type { SymbolRow } from './symbols.response';

/** Symbols and their quotes. The terminal quotes only symbols in Market Watch, so a read selects the symbol once. */
@Injectable()
export class SymbolService {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly selected: SelectedSymbols,
  ) {}

  async list(search: string | undefined): Promise<SymbolRow[]> {
    const symbols = await this.terminal.read((terminal) => terminal.symbolsGet(search));
    return symbols.map(symbolRow).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  /** @throws ApiError not_found for a symbol that the broker does not have */
  async info(symbol: string): Promise<SymbolInfo> {
    const info = await this.terminal.read(async (terminal) => {
      if (!this.selected.has(symbol)) await this.selected.select(terminal, symbol);
      return terminal.symbolInfo(symbol);
    });
    if (info === null) throw await this.unknown(symbol);
    return info;
  }

  /** Looks up the upper-case spelling: names are case-sensitive, and brokers write most of them in capitals. */
  private async unknown(symbol: string): Promise<ApiError> {
    const capitals = symbol.toUpperCase();
    if (capitals === symbol) return unknownSymbol(symbol);
    const exists = (await this.terminal.read((terminal) => terminal.symbolInfo(capitals))) !== null;
    return unknownSymbol(symbol, exists ? capitals : null);
  }

  /**
   * @throws ApiError not_found for a symbol that the broker does not have, or that has no quote yet; terminal_unavailable if its
   *   quote is none: a price of 0, or a bid above the ask
   */
  async tick(symbol: string): Promise<Tick> {
    const tick = await this.terminal.read(async (terminal) => {
      const wasSelected = this.selected.has(symbol);
      if (!wasSelected) await this.selected.select(terminal, symbol);
      const first = await terminal.symbolInfoTick(symbol);
      // A symbol without a quote may have been removed from the Market Watch since.
      if (first !== null || !wasSelected || !(await this.selected.select(terminal, symbol))) return first;
      return terminal.symbolInfoTick(symbol);
    });
    if (tick === null) throw unknownSymbol(symbol);
    return requireQuote(symbol, tick);
  }

  /**
   * Makes the terminal quote the symbols of a stream. A client that adds a symbol opens its stream again with all of them: only
   * the new one takes a call, because twenty take longer on a slow terminal than the client waits.
   *
   * @throws ApiError not_found naming the symbols that the broker does not have
   */
  async select(symbols: readonly string[]): Promise<void> {
    const missing = symbols.filter((symbol) => !this.selected.has(symbol));
    const unknown = await this.terminal.read(async (terminal) => {
      const selected = await Promise.all(missing.map((symbol) => this.selected.select(terminal, symbol)));
      return missing.filter((_symbol, index) => selected[index] !== true);
    });
    if (unknown.length > 0) throw new ApiError('not_found', `no symbol ${unknown.join(', ').slice(0, 200)}`);
  }
}

/** Zero is not a price, and a crossed quote is not a market. */
function requireQuote(symbol: string, tick: Tick): Tick {
  const { bid, ask } = tick;
  if (bid > 0 && ask >= bid) return tick;
  const problem = bid > 0 && ask > 0 ? `the bid ${bid} is above the ask ${ask}` : `bid ${bid}, ask ${ask}`;
  throw new ApiError('terminal_unavailable', `${symbol} has no quote: ${problem}`, { details: { reason: 'no_quote' } });
}

function unknownSymbol(symbol: string, spelling: string | null = null): ApiError {
  const hint = spelling === null ? '' : `; names are case-sensitive: did you mean ${spelling.slice(0, 64)}?`;
  return new ApiError('not_found', `no quoted symbol ${symbol.slice(0, 64)}${hint}`);
}

function symbolRow(info: SymbolInfo): SymbolRow {
  const { name, description, path, visible, currency_base, currency_profit, digits, trade_mode } = info;
  return { name, description, path, visible, currency_base, currency_profit, digits, trade_mode };
}
