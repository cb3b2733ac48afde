import type { IntentRecord } from '../state/records';
import type { DeskSurroundings } from './desk-surroundings';

/** The ticket of an entry that is done and whose answer did not name it; null when it cannot be told. */
export async function ticketByKey(record: IntentRecord, around: DeskSurroundings): Promise<number | null> {
  const { broker, key, isEntry } = record;
  if (!isEntry) return null;
  try {
    const { positions, orders } = await around.clientOf(broker).reads.reconcile();
    return [...positions, ...orders].find((row) => row.client_order_id === key)?.ticket ?? null;
  } catch (error) {
    around.log.error('the ticket of a done request could not be read', { key, error: String(error) });
    return null;
  }
}
