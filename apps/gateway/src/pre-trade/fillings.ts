import { FillingFlag, OrderFilling, SymbolExecution, type SymbolInfo } from '@libs/terminal-client';
import { isMarketOrder } from './market-price';

type FillingFacts = Pick<SymbolInfo, 'trade_exemode' | 'filling_mode'>;

/**
 * The fillings to try for an order, best first (mt5-facts §8). `filling_mode` is a flag word and `type_filling` an
 * index: never one for the other.
 */
export function permittedFillings(type: number, info: FillingFacts): OrderFilling[] {
  const byFlags = [
    ...(info.filling_mode & FillingFlag.FOK ? [OrderFilling.FOK] : []),
    ...(info.filling_mode & FillingFlag.IOC ? [OrderFilling.IOC] : []),
  ];
  // Documented as RETURN always; many brokers of market execution take or want the others as well.
  if (!isMarketOrder(type)) return [OrderFilling.RETURN, OrderFilling.FOK, OrderFilling.IOC];
  switch (info.trade_exemode) {
    case SymbolExecution.EXCHANGE:
      return [OrderFilling.RETURN, ...byFlags];
    case SymbolExecution.MARKET:
      // Some brokers set no flag at all and take one of the two.
      return byFlags.length > 0 ? byFlags : [OrderFilling.FOK, OrderFilling.IOC];
    default:
      return [OrderFilling.FOK, OrderFilling.IOC, OrderFilling.RETURN];
  }
}
