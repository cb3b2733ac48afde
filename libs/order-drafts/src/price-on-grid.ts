import { priceText, snapPrice, type SymbolInfo } from '@libs/terminal-client';
import { fieldRefused, type OrderRefusal } from './refusal';

/** The fields of a request that contain a price. */
export type PriceField = 'price' | 'stoplimit' | 'sl' | 'tp';

/** The grid that prices are rounded to. */
export type PriceGrid = Pick<SymbolInfo, 'name' | 'trade_tick_size' | 'point' | 'digits'>;

/**
 * A requested price on the symbol's price grid, rounded half up. A price above 0 that rounds to 0 is refused, because
 * the terminal reads 0 as "none" and would remove the level.
 */
export function priceOnGrid(field: PriceField, price: number, info: PriceGrid): number | OrderRefusal {
  const snapped = snapPrice(price, info);
  if (snapped > 0) return snapped;
  const tickSize = info.trade_tick_size > 0 ? info.trade_tick_size : info.point;
  return fieldRefused(
    field,
    `rounds to 0 on the price grid of ${info.name}, whose step is ${priceText(tickSize, info.digits)}`,
    tickSize,
    price,
  );
}

/**
 * The prices among these on the price grid; null stays null.
 * @returns the refusal of the first one that rounds to 0
 */
export function pricesOnGrid<Field extends PriceField>(
  prices: Readonly<Record<Field, number | null>>,
  fields: readonly Field[],
  info: PriceGrid,
): Readonly<Record<Field, number | null>> | OrderRefusal {
  const snapped: Record<Field, number | null> = { ...prices };
  for (const field of fields) {
    const price = prices[field];
    if (price === null) continue;
    const onGrid = priceOnGrid(field, price, info);
    if (typeof onGrid !== 'number') return onGrid;
    snapped[field] = onGrid;
  }
  return snapped;
}
