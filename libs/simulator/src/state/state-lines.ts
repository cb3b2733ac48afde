import type { Book, BookChange } from '../trading/book';

/** A state file that cannot be gone on from. */
export class StateFileError extends Error {}

/** Whose books they are. */
export interface AccountIdentity {
  readonly login: number;
  readonly currency: string;
  readonly marginMode: string;
  /** What its market is fed by: times of one feed mean nothing on another. */
  readonly feed: string;
}

/** Where the books stood when the last line was written. */
export interface Saved {
  /** Market time in UTC milliseconds. */
  readonly marketMs: number;
}

interface Tickets {
  readonly orderTicket: number;
  readonly dealTicket: number;
}

interface Line extends Saved, Tickets, BookChange {
  readonly version?: number;
  readonly identity?: AccountIdentity;
}

const VERSION = 1;
/** Rows of each history in one line: the history as a whole can be longer than the longest text. */
const rowsOfLine = 1_000;

/** The books in full: a line with the account, and further ones if its history does not fit into one. */
export function* snapshotLines(book: Book, marketMs: number, identity: AccountIdentity): Generator<string> {
  const head: Line = {
    version: VERSION,
    identity,
    marketMs,
    ...ticketsOf(book),
    positions: [...book.positions.values()],
    closedPositions: [],
    orders: [...book.orders.values()],
    doneOrders: [],
    ...historyFrom(0, book),
  };
  yield `${JSON.stringify(head)}\n`;
  const rows = Math.max(book.historyOrders.length, book.deals.length);
  for (let start = rowsOfLine; start < rows; start += rowsOfLine) {
    const noOther = { positions: [], closedPositions: [], orders: [], doneOrders: [] };
    yield changeLine({ ...noOther, ...historyFrom(start, book) }, book, marketMs);
  }
}

function historyFrom(start: number, { historyOrders, deals }: Book): Pick<BookChange, 'historyOrders' | 'deals'> {
  const end = start + rowsOfLine;
  return { historyOrders: historyOrders.between(start, end), deals: deals.between(start, end) };
}

/** A change of the books, as one line. */
export function changeLine(change: BookChange, book: Book, marketMs: number): string {
  const line: Line = { marketMs, ...ticketsOf(book), ...change };
  return `${JSON.stringify(line)}\n`;
}

/**
 * Carries a line out on the books.
 * @throws StateFileError for a line that is none, or for the books of another account
 */
export function applyLine(text: string, index: number, book: Book, identity: AccountIdentity): Saved {
  const line = parsed(text, index);
  if (index === 0) checkHead(line, identity);
  for (const position of line.positions) book.putPosition(position);
  for (const order of line.orders) book.putOrder(order);
  for (const ticket of line.closedPositions) book.removePosition(ticket);
  for (const ticket of line.doneOrders) book.orders.delete(ticket);
  for (const order of line.historyOrders) book.historyOrders.add(order);
  for (const deal of line.deals) book.addDeal(deal);
  book.orderTickets.resumeAfter(line.orderTicket);
  book.dealTickets.resumeAfter(line.dealTicket);
  return { marketMs: line.marketMs };
}

function parsed(text: string, index: number): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StateFileError(`line ${index + 1} of the state file is not JSON`);
  }
  if (!isLine(value)) throw new StateFileError(`line ${index + 1} of the state file is not a change of the books`);
  return value;
}

/** Checks the frame of a line; the records in it were written by this very code. */
function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  const lists = ['positions', 'closedPositions', 'orders', 'doneOrders', 'historyOrders', 'deals'];
  const numbers = ['marketMs', 'orderTicket', 'dealTicket'];
  return lists.every((list) => Array.isArray(fields[list])) && numbers.every((name) => Number.isFinite(fields[name]));
}

function checkHead({ version, identity: saved }: Line, identity: AccountIdentity): void {
  if (version !== VERSION) throw new StateFileError(`the state file is not of version ${VERSION}`);
  for (const field of ['login', 'currency', 'marginMode', 'feed'] as const) {
    if (saved?.[field] !== identity[field]) {
      throw new StateFileError(`the state file was written with another ${field}`);
    }
  }
}

function ticketsOf({ orderTickets, dealTickets }: Book): Tickets {
  return { orderTicket: orderTickets.last, dealTicket: dealTickets.last };
}
