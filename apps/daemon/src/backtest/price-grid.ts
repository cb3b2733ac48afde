import type { SymbolInfo } from '@libs/terminal-client';
import { Decimal } from 'decimal.js';

/** A price on the symbol's grid, rounded half up to whole ticks and to its digits: as the gateway snaps it. */
export function snapped(
  price: number,
  { trade_tick_size, point, digits }: Pick<SymbolInfo, 'trade_tick_size' | 'point' | 'digits'>,
): number {
  const tickSize = new Decimal(trade_tick_size > 0 ? trade_tick_size : point);
  if (tickSize.isZero()) return price;
  const ticks = new Decimal(price).div(tickSize).toDecimalPlaces(0, Decimal.ROUND_HALF_UP);
  return ticks.mul(tickSize).toDecimalPlaces(digits, Decimal.ROUND_HALF_UP).toNumber();
}
