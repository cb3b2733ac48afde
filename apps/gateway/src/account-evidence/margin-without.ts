import { netVolume } from '@libs/account-evidence';
import { OrderType, type AccountInfo, type TerminalClient, type TradePosition } from '@libs/terminal-client';

/** Symbols that are asked at most: a broker may ask for no margin on some. */
const mostSymbols = 3;

/**
 * The margin that the open lots of a symbol need, in the deposit currency, if the account shows none; 0 if it shows some, or nothing
 * needs margin: positions that hedge each other may need none.
 */
export async function marginWithout(
  { margin }: Pick<AccountInfo, 'margin'>,
  positions: readonly TradePosition[],
  terminal: TerminalClient,
): Promise<number> {
  if (margin !== 0) return 0;
  for (const symbol of [...new Set(positions.map((position) => position.symbol))].slice(0, mostSymbols)) {
    const ofSymbol = positions.filter((position) => position.symbol === symbol);
    // Types of positions and of deals have the same numbers.
    const lots = netVolume(ofSymbol).toNumber();
    const type = lots > 0 ? OrderType.BUY : OrderType.SELL;
    const price = ofSymbol[0]?.price_open ?? 0;
    const needed = lots === 0 ? null : await terminal.orderCalcMargin(type, symbol, Math.abs(lots), price);
    if (needed !== null && needed > 0) return needed;
  }
  return 0;
}
