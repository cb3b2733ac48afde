import type { IntentRecord } from '../state/records';
import type { DeskSurroundings } from './desk-surroundings';

/** The ticket of an entry that is done and whose answer did not name it; null when it cannot be told. */
export async function ticketByKey(record: IntentRecord, around: DeskSurroundings): Promise<number | null> {
  const { broker, key, isEntry } = record;
  if (!isEntry) return null;
  try {
    const { positions, orders, deals } = await around.clientOf(broker).reads.reconcile();
    const isIts = (row: { readonly client_order_id: string | null }): boolean => row.client_order_id === key;
    // One that is closed already is only in the deals.
    return [...positions, ...orders].find(isIts)?.ticket ?? deals.find(isIts)?.order ?? null;
  } catch (error) {
    around.log.error('the ticket of a done request could not be read', { key, error: String(error) });
    return null;
  }
}
