import { Injectable } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import type { BookRow, SymbolInfo, Tick } from '@libs/terminal-client';
import { TerminalAccess } from '../terminal/terminal-access';
import { BadPrices } from '../terminal/bad-prices';
import { QuoteAges } from './quote-ages';
import { SelectedSymbols } from './selected-symbols';
import type { SymbolRow } from './symbols.response';
import { UnknownSymbols } from './unknown-symbols';

/** A quiet symbol has a new quote every few seconds; an order should not wait longer than this. */
const longestWaitMs = 5_000;
const betweenReadsMs = 100;

/** A quote and an upper bound of its age in seconds; null if its age is not known. */
export interface AgedQuote {
  readonly tick: Tick;
  readonly ageSeconds: number | null;
}

/** Symbols and their quotes. The terminal quotes only symbols in Market Watch, so a read selects the symbol once. */
@Injectable()
export class SymbolService {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly selected: SelectedSymbols,
    private readonly unknown: UnknownSymbols,
    private readonly badPrices: BadPrices,
    private readonly ages: QuoteAges,
    private readonly clock: Clock,
  ) {}

  async list(search: string | undefined): Promise<SymbolRow[]> {
    const symbols = await this.records(search);
    return symbols.map(symbolRow).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  /**
   * The records of the symbols of a group mask, in the terminal's order; all without one.
   * @throws ApiError terminal_unavailable while symbols that are known are not loaded
   */
  async records(group: string | undefined): Promise<SymbolInfo[]> {
    const records = await this.terminal.read((terminal) => terminal.symbolsGet(group));
    const names = records.map(({ name }) => name);
    await this.unknown.requireLoaded(names, group !== undefined);
    return records;
  }

  /** @throws ApiError not_found for a symbol that the broker does not have */
  async info(symbol: string): Promise<SymbolInfo> {
    const info = await this.terminal.read(async (terminal) => {
      if (!this.selected.has(symbol)) await this.selected.select(terminal, symbol);
      return terminal.symbolInfo(symbol);
    });
    if (info === null) throw await this.unknown.error([symbol]);
    return info;
  }

  /**
   * Checks the symbol of a list without rows: a mistyped name must not read as if nothing were open.
   * @throws ApiError not_found for a symbol that the broker does not have
   */
  async requireKnown(symbol: string): Promise<void> {
    if (!this.selected.has(symbol)) await this.info(symbol);
  }

  /**
   * @throws ApiError not_found for a symbol that the broker does not have; terminal_unavailable if it has no quote yet, or
   *   its quote is none: a price of 0, or a bid above the ask
   */
  async quote(symbol: string): Promise<AgedQuote> {
    const tick = await this.terminal.read(async (terminal) => {
      const wasSelected = this.selected.has(symbol);
      if (!wasSelected) await this.selected.select(terminal, symbol);
      const first = await terminal.symbolInfoTick(symbol);
      // A symbol without a quote may have been removed from the Market Watch since.
      if (first !== null || !wasSelected || !(await this.selected.select(terminal, symbol))) return first;
      return terminal.symbolInfoTick(symbol);
    });
    if (tick === null) {
      await this.info(symbol);
      throw noQuote(`${symbol} has no quote yet: the terminal has received none since it watches the symbol`);
    }
    const problem = this.badPrices.ofQuote(tick);
    if (problem !== null) throw noQuote(`${symbol} has no quote: ${problem}`);
    return { tick, ageSeconds: this.ages.note(symbol, tick) };
  }

  /** @throws ApiError not_found for a symbol that the broker does not have, or of which it shows no depth */
  async marketBook(symbol: string): Promise<BookRow[]> {
    const { name } = await this.info(symbol);
    const rows = await this.terminal.read((terminal) => terminal.marketBook(name));
    if (rows === null) throw new ApiError('not_found', `the broker shows no market depth of ${symbol}`);
    return rows;
  }

  /**
   * Reads a quote again until it is known to be at most `limitSeconds` old; gives up after `limitSeconds`, at most five. Without a
   * stream, no read before may have seen it change.
   * @throws as {@link quote}
   */
  async awaitQuote(symbol: string, limitSeconds: number): Promise<void> {
    const untilMs = this.clock.monotonicMs() + Math.min(longestWaitMs, limitSeconds * 1_000);
    while (this.clock.monotonicMs() < untilMs) {
      await this.clock.sleep(betweenReadsMs);
      const { ageSeconds } = await this.quote(symbol);
      if (ageSeconds !== null && ageSeconds <= limitSeconds) return;
    }
  }

  /**
   * Makes the terminal quote the symbols of a stream. A client that adds a symbol opens its stream again with all of them. Only
   * symbols that are not selected yet are selected: on a slow terminal, twenty calls take longer than the client waits.
   *
   * @returns the symbols that the broker surely does not have: one that was removed must not end the quotes of the others
   * @throws ApiError not_found if it has none of them; terminal_unavailable if it may not have loaded one of these yet
   */
  async select(symbols: readonly string[]): Promise<readonly string[]> {
    const missing = symbols.filter((symbol) => !this.selected.has(symbol));
    const unknown = await this.terminal.read(async (terminal) => {
      const selected = await Promise.all(missing.map((symbol) => this.selected.select(terminal, symbol)));
      return missing.filter((_symbol, index) => selected[index] !== true);
    });
    if (unknown.length > 0 && unknown.length === symbols.length) throw await this.unknown.error(unknown);
    return unknown.filter((symbol) => !this.unknown.isLoading(symbol));
  }
}

function noQuote(message: string): ApiError {
  return new ApiError('terminal_unavailable', message, { details: { reason: 'no_quote' } });
}

function symbolRow(info: SymbolInfo): SymbolRow {
  const { name, description, path, visible, currency_base, currency_profit, digits, trade_mode } = info;
  return { name, description, path, visible, currency_base, currency_profit, digits, trade_mode };
}
