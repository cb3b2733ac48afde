import type { IntentRecord } from '../state/records';
import type { DeskSurroundings } from './desk-surroundings';
import { isClose } from './plan';
import type { StrategyBook } from './strategy-book';

/** Whether the books show what was done; an entry is known by the ticket that was claimed for it. */
export type Expectation = (claimed: number | null) => boolean;

/** How long the desk waits for the broker's books to show what its answer said. */
const longestMs = 3_000;

/** What the books will have to show of a request that is about to be sent, compared with what they show now. */
export function expected(book: StrategyBook, record: IntentRecord): Expectation {
  const { broker, ticket } = record;
  const agrees = (number: number): boolean => !book.unsettled(broker).some((owned) => owned.ticket === number);
  if (record.isEntry) return (claimed) => claimed === null || agrees(claimed);
  if (ticket === null) return () => true;
  if (isClose(record)) {
    const volumeBefore = book.bookedVolume(broker, ticket);
    return () => agrees(ticket) && book.bookedVolume(broker, ticket) !== volumeBefore;
  }
  if (record.call.method === 'DELETE') return () => !book.orderRow(broker, ticket) && agrees(ticket);
  return () => true;
}

/** Waits until the books show what was done, so that the strategy's next event does not come before its own fill. */
export async function shown(
  isShown: () => boolean,
  broker: string,
  { clock, look, hasEnded }: Pick<DeskSurroundings, 'clock' | 'look' | 'hasEnded'>,
): Promise<void> {
  const untilMs = clock.monotonicMs() + longestMs;
  for (let waitMs = 10; ; waitMs = Math.min(250, waitMs * 2)) {
    await look(broker);
    if (isShown() || clock.monotonicMs() >= untilMs || hasEnded()) return;
    await clock.sleep(waitMs);
  }
}
