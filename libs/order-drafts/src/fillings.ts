import {
  FillingFlag,
  OrderFilling,
  OrderType,
  Retcode,
  SymbolExecution,
  type SymbolInfo,
  type TradeRequest,
} from '@libs/terminal-client';
import { isMarketOrder } from './market-price';

type FillingFacts = Pick<SymbolInfo, 'trade_exemode' | 'filling_mode'>;

/**
 * The fillings to try for an order, preferred first. `filling_mode` is a set of flags and `type_filling` an index; do
 * not mix them.
 */
export function permittedFillings(type: number, info: FillingFacts): OrderFilling[] {
  const byFlags = [
    ...(info.filling_mode & FillingFlag.FOK ? [OrderFilling.FOK] : []),
    ...(info.filling_mode & FillingFlag.IOC ? [OrderFilling.IOC] : []),
  ];
  // Documented as RETURN always; many brokers with market execution accept or require the others.
  if (!isMarketOrder(type)) return [OrderFilling.RETURN, OrderFilling.FOK, OrderFilling.IOC];
  switch (info.trade_exemode) {
    case SymbolExecution.EXCHANGE:
      return [OrderFilling.RETURN, ...byFlags];
    case SymbolExecution.MARKET:
      // Some brokers set no flag and accept one of the two.
      return byFlags.length > 0 ? byFlags : [OrderFilling.FOK, OrderFilling.IOC];
    default:
      return [OrderFilling.FOK, OrderFilling.IOC, OrderFilling.RETURN];
  }
}

/** The fillings that a client may ask for: BOC (book or cancel) is one that no order gets unasked. */
export function requestableFillings(type: number, info: FillingFacts): OrderFilling[] {
  const canBook = info.trade_exemode === SymbolExecution.EXCHANGE && (info.filling_mode & FillingFlag.BOC) !== 0;
  const rests = !isMarketOrder(type) && type !== OrderType.BUY_STOP && type !== OrderType.SELL_STOP;
  return [...permittedFillings(type, info), ...(canBook && rests ? [OrderFilling.BOC] : [])];
}

/** The names of {@link requestableFillings}. */
export function fillingNames(type: number, info: FillingFacts): string[] {
  return requestableFillings(type, info).map(fillingName);
}

/** The name of a filling. */
export function fillingName(filling: OrderFilling): string {
  return Object.entries(OrderFilling).find(([, value]) => value === filling)?.[0] ?? String(filling);
}

/**
 * Tries drafts with different fillings, preferred first. Only 10030, which proves that nothing was done, leads to the
 * next.
 * @returns the result of the last one
 */
export async function tryFillings<Tried>(
  drafts: readonly TradeRequest[],
  attempt: (draft: TradeRequest) => Promise<Tried>,
  retcodeOf: (tried: Tried) => number | null | undefined,
): Promise<Tried> {
  for (const [index, draft] of drafts.entries()) {
    const tried = await attempt(draft);
    if (isLastTry(drafts, index, retcodeOf(tried))) return tried;
  }
  throw new Error('an order has at least one filling');
}

/** As {@link tryFillings}, where each try is answered at once. */
export function tryFillingsNow<Tried>(
  drafts: readonly TradeRequest[],
  attempt: (draft: TradeRequest) => Tried,
  retcodeOf: (tried: Tried) => number | null | undefined,
): Tried {
  for (const [index, draft] of drafts.entries()) {
    const tried = attempt(draft);
    if (isLastTry(drafts, index, retcodeOf(tried))) return tried;
  }
  throw new Error('an order has at least one filling');
}

function isLastTry(drafts: readonly TradeRequest[], index: number, retcode: number | null | undefined): boolean {
  return retcode !== Retcode.INVALID_FILL || index === drafts.length - 1;
}
