import type { TradeEvent } from '../../../apps/gateway/src/streams/trade-event';

/** What the broker's books say of an event. */
export interface BooksOfEvents {
  readonly isPositionOpen: (ticket: number) => boolean;
  readonly isOrderActive: (ticket: number) => boolean;
  readonly hasDeal: (ticket: number, order: number) => boolean;
}

/** Events are numbered without a gap, from the one after those that the client has. */
export function wrongNumbers(events: readonly Pick<TradeEvent, 'seq'>[], since: number): string[] {
  return events
    .map(({ seq }, index) => ({ seq, expected: since + 1 + index }))
    .filter(({ seq, expected }) => seq !== expected)
    .map(({ seq, expected }) => `the event after ${expected - 1} has the number ${seq}`);
}

/** The numbers of events never go back. */
export function numbersWentBack(lastSeq: number, seen: number): string[] {
  return lastSeq < seen ? [`the newest event has the number ${lastSeq}, and ${seen} was seen before`] : [];
}

/** No event says what the broker did not do: a deal that there is not, or the end of something that is open. */
export function untrueEvents(events: readonly TradeEvent[], books: BooksOfEvents): string[] {
  return events.flatMap((event): string[] => {
    const { seq, action, ticket = 0, deal, deals = [] } = event;
    const named = deal ? [deal, ...deals] : deals;
    const absent = named.filter((row) => row.order > 0 && !books.hasDeal(row.ticket, row.order));
    const problems = absent.map((row) => `event ${seq} names deal ${row.ticket}, which the broker does not have`);
    if (event.event === 'position' && action === 'closed' && books.isPositionOpen(ticket)) {
      problems.push(`event ${seq} says that position ${ticket} was closed, which is open`);
    }
    if (event.event === 'order' && action === 'closed' && books.isOrderActive(ticket)) {
      problems.push(`event ${seq} says that order ${ticket} has ended, which is active`);
    }
    return problems;
  });
}
