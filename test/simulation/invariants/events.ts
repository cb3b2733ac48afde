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

/** A number names one event, however often it is read. @param told what was read under each number before */
export function renumbered(events: readonly Pick<TradeEvent, 'seq'>[], told: ReadonlyMap<number, string>): string[] {
  return events
    .filter((event) => (told.get(event.seq) ?? JSON.stringify(event)) !== JSON.stringify(event))
    .map((event) => `event ${event.seq} was ${told.get(event.seq)}, and is ${JSON.stringify(event)}`);
}

/** A deal is added once. @param added the number of the event of each deal so far, by its ticket */
export function addedTwice(
  events: readonly Pick<TradeEvent, 'seq' | 'event' | 'action' | 'deal'>[],
  added: ReadonlyMap<number, number>,
): string[] {
  return addedDeals(events).flatMap(([ticket, seq]) => {
    const before = added.get(ticket) ?? seq;
    return before === seq ? [] : [`deal ${ticket} was added by event ${before}, and is by event ${seq}`];
  });
}

/** Each deal with the number of the event that adds it. */
export function addedDeals(
  events: readonly Pick<TradeEvent, 'seq' | 'event' | 'action' | 'deal'>[],
): (readonly [ticket: number, seq: number])[] {
  return events.flatMap(({ seq, event, action, deal }) =>
    event === 'deal' && action === 'added' && deal ? [[deal.ticket, seq] as const] : [],
  );
}

/** In the end, each deal of the broker was added. @param deals their tickets */
export function neverAdded(deals: readonly number[], added: ReadonlyMap<number, number>): string[] {
  return deals.filter((ticket) => !added.has(ticket)).map((ticket) => `no event has added deal ${ticket}`);
}
