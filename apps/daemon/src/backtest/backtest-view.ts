import type { Account } from '@libs/strategy';
import type { View } from '../live/view';
import type { BacktestBooks } from './backtest-books';
import { broker, type BacktestCore } from './backtest-core';

/**
 * What a strategy sees at the moment at which it reads it. Books and requests are out of its reach: through them it would
 * reach the prices that are still to come.
 */
export function presentView(
  books: BacktestBooks,
  core: BacktestCore,
  quotes: View['quotes'],
  {
    symbols,
    grids,
    account,
  }: { readonly symbols: () => View['symbols']; readonly grids: View['grids']; readonly account: () => Account },
): View {
  return {
    get positions() {
      return books.priced.positions;
    },
    get orders() {
      return books.book.orders;
    },
    get equity() {
      return books.equity;
    },
    get inFlight() {
      return core.state.requests.requests.length;
    },
    quotes,
    get symbols() {
      return symbols();
    },
    grids,
    maxVolume: core.book.spec.risk.maxVolume,
    get accounts() {
      return { [broker]: account() };
    },
  };
}
