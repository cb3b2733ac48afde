import { Decimal } from 'decimal.js';
import type { OrderLimits, ProposedOrder } from './proposed-order';
import { askedVolumeText, limitExceeded, type OrderRefusal } from './refusal';

/** MAX_ORDER_VOLUME. */
export function volumeLimit(order: Pick<ProposedOrder, 'volume'>, limits: OrderLimits): OrderRefusal | null {
  // Nine decimals drop the noise of binary fractions: 0.1 + 0.2 is not above 0.3.
  if (new Decimal(order.volume).toDecimalPlaces(9).lte(limits.maxVolume)) return null;
  return limitExceeded(
    'volume_limit_exceeded',
    `volume ${askedVolumeText(order.volume)} is above MAX_ORDER_VOLUME ${limits.maxVolume}`,
    { limit: limits.maxVolume, value: order.volume, setting: 'MAX_ORDER_VOLUME', field: 'volume' },
  );
}
