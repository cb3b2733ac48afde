import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import type { SymbolInfo, TerminalClient, Tick } from '@libs/terminal-client';
import { TerminalAccess } from '../terminal/terminal-access';
import type { SymbolRow } from './symbols.response';

/** The most selected symbols to remember; a broker has thousands, a client trades a handful. */
const rememberedSelections = 1_000;

/** Symbols and their quotes. The terminal quotes only symbols in Market Watch, so a read selects the symbol once. */
@Injectable()
export class SymbolService {
  private readonly selected = new Set<string>();

  constructor(private readonly terminal: TerminalAccess) {}

  async list(search: string | undefined): Promise<SymbolRow[]> {
    const symbols = await this.terminal.read((terminal) => terminal.symbolsGet(search));
    return symbols.map(symbolRow).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  /** @throws ApiError not_found for a symbol that the broker does not have */
  async info(symbol: string): Promise<SymbolInfo> {
    const info = await this.terminal.read(async (terminal) => {
      await this.select(terminal, symbol);
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

  /** @throws ApiError not_found for a symbol that the broker does not have, or that has no quote yet */
  async tick(symbol: string): Promise<Tick> {
    const tick = await this.terminal.read(async (terminal) => {
      if (!this.selected.has(symbol)) await this.select(terminal, symbol);
      return terminal.symbolInfoTick(symbol);
    });
    if (tick === null) throw unknownSymbol(symbol);
    return tick;
  }

  private async select(terminal: TerminalClient, symbol: string): Promise<void> {
    if (this.selected.has(symbol) || !(await terminal.symbolSelect(symbol, true))) return;
    if (this.selected.size >= rememberedSelections) this.selected.clear();
    this.selected.add(symbol);
  }
}

function unknownSymbol(symbol: string, spelling: string | null = null): ApiError {
  const hint = spelling === null ? '' : `; names are case-sensitive: did you mean ${spelling.slice(0, 64)}?`;
  return new ApiError('not_found', `no quoted symbol ${symbol.slice(0, 64)}${hint}`);
}

function symbolRow(info: SymbolInfo): SymbolRow {
  const { name, description, path, visible, currency_base, currency_profit, digits, trade_mode } = info;
  return { name, description, path, visible, currency_base, currency_profit, digits, trade_mode };
}
