import { snapPrice, type SymbolInfo } from '@libs/terminal-client';
import { fieldRefused } from './refusal';

/** The fields of a request that carry a price. */
export type PriceField = 'price' | 'stoplimit' | 'sl' | 'tp';

/**
 * A requested price on the symbol's price grid, rounded half up.
 * @throws ApiError validation_error for a price above 0 that rounds to 0: the terminal reads 0 as "none" and would
 * remove the level
 */
export function priceOnGrid(
  field: PriceField,
  price: number,
  info: Pick<SymbolInfo, 'name' | 'trade_tick_size' | 'point' | 'digits'>,
): number {
  const snapped = snapPrice(price, info);
  if (snapped > 0) return snapped;
  const tickSize = info.trade_tick_size > 0 ? info.trade_tick_size : info.point;
  throw fieldRefused(
    field,
    `rounds to 0 on the price grid of ${info.name}, whose step is ${tickSize}`,
    tickSize,
    price,
  );
}
