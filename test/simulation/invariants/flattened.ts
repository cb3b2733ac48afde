import type { HttpAnswer } from '../asks';
import { mayBeDone, type SendRecord } from '../sends';

/** A position or an order as an answer names it. */
interface ToldRow {
  readonly kind?: 'order' | 'position';
  readonly ticket: number;
  /** Lots. */
  readonly volume?: number;
  readonly error_type?: string;
}

/** What an answer says of each position and order that was to be closed or cancelled. */
export interface ToldTickets {
  readonly closed: readonly ToldRow[];
  readonly cancelled: readonly ToldRow[];
  /** For these, nothing more was executed. Ticket 0: what may be open is not known. */
  readonly failed: readonly ToldRow[];
  /** For these, something was sent that may be executed. */
  readonly unknown: readonly ToldRow[];
  /** Nothing is left; null where the answer does not say it. */
  readonly complete: boolean | null;
}

/** What the broker's books say of it. */
export interface BooksOfTickets {
  readonly isPositionOpen: (ticket: number) => boolean;
  readonly isOrderActive: (ticket: number) => boolean;
  /** Lots by which deals have reduced a position; null if that is not known. */
  readonly reducedBy: (ticket: number) => number | null;
}

/** The sends that an answer speaks of. */
export interface SendsBehind {
  /** Those that the request has made. */
  readonly certain: readonly SendRecord[];
  /** Those that it may have made. */
  readonly possible: readonly SendRecord[];
}

const tolerance = 1e-9;

/** Errors after which something may be done for a ticket: the broker has accepted it, or what is shown is not explained. */
const doubtful: readonly (string | undefined)[] = ['unknown_outcome', 'account_not_synchronized'];

/** What the answer of a flattening, or of a request to close all positions, says of each ticket; null if it names none. */
export function toldTickets({ body }: Pick<HttpAnswer, 'body'>): ToldTickets | null {
  const { flatten } = body;
  const report = (typeof flatten === 'object' && flatten !== null ? flatten : body) as Partial<ToldTickets>;
  const { closed = [], cancelled = [], failed = [], unknown = [], complete = null } = report;
  if (report.closed === undefined) return null;
  return { closed, cancelled, failed, unknown, complete };
}

/**
 * Each position and order is as the answer says: what is named as closed or cancelled is not open, no more lots are named than
 * were closed, nothing was done for what has failed, and something was sent for what is unknown.
 * @param positionsGrow a position takes in what others open in its symbol: it is open although what it was is closed
 */
export function toldWrongly(
  { closed, cancelled, failed, unknown, complete }: ToldTickets,
  { isPositionOpen, isOrderActive, reducedBy }: BooksOfTickets,
  { certain, possible }: SendsBehind,
  positionsGrow: boolean,
): string[] {
  const isLeft = new Set([...failed, ...unknown].map(({ ticket }) => ticket));
  const sentFor = (row: ToldRow, sends: readonly SendRecord[]): SendRecord[] =>
    sends.filter(({ request }) => (row.kind === 'order' ? request.order : request.position) === row.ticket);
  const stillOpen = closed.filter(({ ticket }) => !positionsGrow && !isLeft.has(ticket) && isPositionOpen(ticket));
  const stillActive = cancelled.filter(({ ticket }) => isOrderActive(ticket));
  const wereClosed = new Set(closed.map(({ ticket }) => ticket));
  const wereDone = failed.filter(
    (row) =>
      row.ticket !== 0 &&
      !doubtful.includes(row.error_type) &&
      !wereClosed.has(row.ticket) &&
      sentFor(row, certain).some(mayBeDone),
  );
  const unsent = unknown.filter((row) => sentFor(row, possible).length === 0);
  return [
    ...stillOpen.map(({ ticket }) => `position ${ticket} was said to be closed, and is open`),
    ...stillActive.map(({ ticket }) => `order ${ticket} was said to be cancelled, and is active`),
    ...[...wereClosed].flatMap((ticket) => tooManyLots(ticket, closed, reducedBy(ticket))),
    ...wereDone.map(({ ticket }) => `${ticket} was said to have failed, and a send for it did or may do it`),
    ...unsent.map(({ ticket }) => `${ticket} was said to be unknown, and nothing was sent for it`),
    ...(complete === true && isLeft.size > 0 ? [`complete was said, with ${[...isLeft].join(', ')} left`] : []),
  ];
}

function tooManyLots(ticket: number, closed: readonly ToldRow[], reducedBy: number | null): string[] {
  const told = closed.filter((row) => row.ticket === ticket).reduce((sum, { volume = 0 }) => sum + volume, 0);
  if (reducedBy === null || told <= reducedBy + tolerance) return [];
  return [`${told} lots of ${ticket} were said to be closed, and its deals have closed ${reducedBy}`];
}

/** What a request to close all positions is limited to; what is absent is not limited. */
export interface CloseFilter {
  readonly symbol?: string;
  readonly magic?: number;
  readonly order_type?: string;
}

/** A position as the broker has it. */
export interface HeldPosition {
  readonly symbol: string;
  readonly isLong: boolean;
  /** Those that a gateway may have read. */
  readonly magics: readonly number[];
}

/** Whether a request to close all positions means a position. */
export function isMeant({ symbol, magic, order_type = 'all' }: CloseFilter, held: HeldPosition): boolean {
  const side = order_type.toUpperCase();
  return (
    (symbol === undefined || symbol === held.symbol) &&
    (magic === undefined || held.magics.includes(magic)) &&
    (side === 'ALL' || (side === 'BUY') === held.isLong)
  );
}

/** Nothing is closed that a request to close positions does not mean. @param held the position; null when it is gone */
export function closedUnmeant(send: SendRecord, filter: CloseFilter, held: HeldPosition | null): string[] {
  if (held === null || isMeant(filter, held)) return [];
  const { number, request } = send;
  return [`send ${number} closes ${request.position} (${JSON.stringify(held)}) for ${JSON.stringify(filter)}`];
}
