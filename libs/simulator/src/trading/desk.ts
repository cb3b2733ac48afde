import { AccountMarginMode } from '@libs/terminal-client';
import type { Market, MarketSymbol } from '../market/market';
import type { Conversion } from '../money/conversion';
import type { AccountOptions, MarginModeName } from '../simulator-options';
import type { Book, OpenPosition } from './book';

/** What everything that trades works on. */
export interface Desk {
  readonly market: Market;
  readonly book: Book;
  readonly conversion: Conversion;
  readonly account: AccountOptions;
}

export const marginModes: Readonly<Record<MarginModeName, number>> = {
  netting: AccountMarginMode.RETAIL_NETTING,
  exchange: AccountMarginMode.EXCHANGE,
  hedging: AccountMarginMode.RETAIL_HEDGING,
};

export function isHedging({ account }: Desk): boolean {
  return account.marginMode === 'hedging';
}

/** The market's symbol of a record. @throws Error for a record of a symbol that is not traded here */
export function symbolOf({ market }: Desk, name: string): MarketSymbol {
  const symbol = market.symbols.get(name);
  if (!symbol) throw new Error(`the books hold ${name}, which is not a symbol of this simulator`);
  return symbol;
}

/** The one position a netting account can have in a symbol. */
export function netPosition({ book }: Desk, symbol: string): OpenPosition | null {
  for (const position of book.positionsOn.get(symbol)?.all() ?? []) return position;
  return null;
}
