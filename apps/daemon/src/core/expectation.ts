import type { StrategyBook } from './strategy-book';
import type { IntentLife } from './intent-life';
import { isClose } from './plan';

/**
 * Whether the books show the effect of an executed request, compared with their state when it was made.
 * @param order the order that it became, which is the ticket of an entry; null if unknown
 */
export function isShown(book: StrategyBook, { record, volumeBefore }: IntentLife, order: number | null): boolean {
  const { broker, ticket } = record;
  const agrees = (number: number): boolean => !book.unsettled(broker).some((owned) => owned.ticket === number);
  if (record.isEntry) return order === null || agrees(order);
  if (ticket === null) return true;
  if (isClose(record)) return agrees(ticket) && book.bookedVolume(broker, ticket) !== volumeBefore;
  return record.call.method !== 'DELETE' || (!book.orderRow(broker, ticket) && agrees(ticket));
}
