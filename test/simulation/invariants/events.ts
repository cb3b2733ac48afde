import { DealEntry, type TradeDeal, type TradeOrder } from '@libs/terminal-client';
import type { TradeEvent } from '../../../apps/gateway/src/streams/trade-event';

/** What the broker does not change once a deal is made; a terminal may show other comments, and costs come later. */
const ofDeal = ['symbol', 'type', 'entry', 'volume', 'price', 'profit'] as const;
/** Noise of floating numbers, which terminals show. */
const tolerance = 1e-6;

/** What the broker's books say of an event. */
export interface BooksOfEvents {
  readonly isPositionOpen: (ticket: number) => boolean;
  readonly isOrderActive: (ticket: number) => boolean;
  /** A deal by its ticket and that of its order. */
  readonly dealOf: (ticket: number, order: number) => TradeDeal | undefined;
  /** An order that has ended. */
  readonly endOf: (ticket: number) => TradeOrder | undefined;
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

/** No event says what the broker did not do: another deal, or the end of something that is open or ended in another way. */
export function untrueEvents(events: readonly TradeEvent[], books: BooksOfEvents): string[] {
  return events.flatMap((event): string[] => {
    const { seq, action, ticket = 0, deal, deals = [], order, position } = event;
    const problems = (deal ? [deal, ...deals] : deals)
      .filter((row) => row.order > 0)
      .flatMap((row) => otherDeal(row, books.dealOf(row.ticket, row.order)));
    if (event.event === 'position' && action === 'closed') {
      if (books.isPositionOpen(ticket)) problems.push(`position ${ticket} was closed, which is open`);
      const identifier = position?.identifier ?? ticket;
      for (const row of deals) {
        const of = books.dealOf(row.ticket, row.order);
        if (of && (of.position_id !== identifier || of.entry === DealEntry.IN))
          problems.push(`deal ${row.ticket} closed position ${identifier}, and it did not`);
      }
    }
    if (event.event === 'order' && action === 'closed') {
      if (books.isOrderActive(ticket)) problems.push(`order ${ticket} has ended, which is active`);
      const state = books.endOf(ticket)?.state;
      if (order && state !== undefined && order.state !== state)
        problems.push(`order ${ticket} ended with the state ${order.state}, and the broker's is ${state}`);
    }
    return problems.map((problem) => `event ${seq} says that ${problem}`);
  });
}

function otherDeal(row: TradeDeal, of: TradeDeal | undefined): string[] {
  if (!of) return [`there is deal ${row.ticket}, which the broker does not have`];
  return ofDeal
    .filter((field) => !isSame(row[field], of[field]))
    .map((field) => `${field} of deal ${row.ticket} is ${row[field]}, and the broker's is ${of[field]}`);
}

function isSame(shown: number | string, held: number | string): boolean {
  if (typeof shown === 'string' || typeof held === 'string') return shown === held;
  return Math.abs(shown - held) < tolerance;
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
