import { Decimal } from 'decimal.js';
import type { ApiError } from '@libs/envelope';
import type { OrderLimits, ProposedOrder } from './proposed-order';
import { limitExceeded } from './refusal';

/** MAX_ORDER_VOLUME (spec: pre-trade check 2). */
export function volumeLimit(order: Pick<ProposedOrder, 'volume'>, limits: OrderLimits): ApiError | null {
  if (new Decimal(order.volume).lte(limits.maxVolume)) return null;
  return limitExceeded(
    'volume_limit_exceeded',
    `volume ${order.volume} is above MAX_ORDER_VOLUME ${limits.maxVolume}`,
    { limit: limits.maxVolume, value: order.volume, setting: 'MAX_ORDER_VOLUME', field: 'volume' },
  );
}
