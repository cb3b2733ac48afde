import { exact } from '../money/decimals';
import { pointOf, type SymbolSpec } from '../symbols/symbol-spec';

/** The price of a fill that is some points worse for its side: higher for a buy, lower for a sell. */
export function slipped(price: number, points: number, isBuy: boolean, spec: SymbolSpec): number {
  if (points === 0) return price;
  return exact(price)
    .add(exact(isBuy ? points : -points).mul(pointOf(spec)))
    .toDecimalPlaces(spec.digits)
    .toNumber();
}
