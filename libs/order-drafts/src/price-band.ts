import { Decimal } from 'decimal.js';
import { priceText } from '@libs/terminal-client';
import { marketPrice } from './market-price';
import type { Market, OrderLimits, ProposedOrder } from './proposed-order';
import { limitExceeded, type OrderRefusal } from './refusal';

/** MAX_PRICE_DEVIATION_PCT of each requested price from the market's. */
export function priceBand(order: ProposedOrder, market: Market, limits: OrderLimits): OrderRefusal | null {
  return (
    outsideBand('price', order.price, order, market, limits) ??
    outsideBand('stoplimit', order.stoplimit, order, market, limits)
  );
}

function outsideBand(
  field: 'price' | 'stoplimit',
  price: number | null,
  order: ProposedOrder,
  market: Market,
  limits: OrderLimits,
): OrderRefusal | null {
  const reference = new Decimal(marketPrice(order.type, market.tick));
  if (price === null || reference.lte(0)) return null;
  const deviation = new Decimal(price).minus(reference).abs().div(reference).mul(100);
  if (deviation.lte(limits.maxPriceDeviationPct)) return null;
  const { digits } = market.info;
  const percent = deviation.toDecimalPlaces(2, Decimal.ROUND_UP);
  return limitExceeded(
    'price_deviation_exceeded',
    `${field} ${priceText(price, digits)} deviates by ${percent.toFixed()} percent from the market's ${priceText(reference.toNumber(), digits)}, ` +
      `above MAX_PRICE_DEVIATION_PCT ${limits.maxPriceDeviationPct}`,
    { limit: limits.maxPriceDeviationPct, value: percent.toNumber(), setting: 'MAX_PRICE_DEVIATION_PCT', field },
  );
}
