import type { IntentRecord } from '../state/records';
import type { DeskSurroundings } from './desk-surroundings';
import { gatewayOf } from './traded-gateway';

/** The ticket of an executed entry whose answer lacks it; null if it is unknown. */
export async function ticketByKey(
  record: IntentRecord,
  { gateways, log }: Pick<DeskSurroundings, 'gateways' | 'log'>,
): Promise<number | null> {
  const { broker, key, isEntry } = record;
  if (!isEntry) return null;
  try {
    const { positions, orders, deals } = await gatewayOf(gateways, broker).session.client.reads.reconcile();
    const isIts = (row: { readonly client_order_id: string | null }): boolean => row.client_order_id === key;
    // One that is closed already is only in the deals.
    return [...positions, ...orders].find(isIts)?.ticket ?? deals.find(isIts)?.order ?? null;
  } catch (error) {
    log.error('the ticket of an executed request could not be read', { key, error: String(error) });
    return null;
  }
}
