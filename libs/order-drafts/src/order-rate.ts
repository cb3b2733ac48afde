import type { EntryLimits, Exposure, ProposedEntry } from './entry';
import { entryRefused, type OrderRefusal } from './refusal';

/** MAX_ORDERS_PER_MINUTE: entries sent in the last 60 seconds. */
export function orderRate(_entry: ProposedEntry, exposure: Exposure, limits: EntryLimits): OrderRefusal | null {
  const { maxOrdersPerMinute: limit } = limits;
  if (limit === null || exposure.ordersLastMinute < limit) return null;
  const seconds = Math.max(1, Math.ceil(exposure.nextOrderInMs / 1_000));
  return entryRefused(
    'order_rate_exceeded',
    `${exposure.ordersLastMinute} entries were sent in the last minute; MAX_ORDERS_PER_MINUTE is ${limit}`,
    { limit, value: exposure.ordersLastMinute, setting: 'MAX_ORDERS_PER_MINUTE' },
    seconds,
  );
}
