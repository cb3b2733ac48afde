import { QueryReader } from '../http/query-reader';
import { parseCursor, type HistoryPosition } from './history-cursor';
import { readOptionalWindow, readWindow, type HistoryWindow } from './history-window';

/** Default length of a window without `from_date`, in days. */
export const defaultDays = 31;
/** Maximum and default number of rows in one answer. */
export const largestPage = 10_000;
/** The largest ticket or magic that a JSON number holds exactly. */
const largestInteger = Number.MAX_SAFE_INTEGER;

type Raw = Readonly<Record<string, unknown>>;

/** The requested rows: how many, and after which row of the previous page. */
export interface PageRequest {
  readonly limit: number;
  readonly after: HistoryPosition | null;
}

/** The deals of a position or of an order, if one is given, in a window. */
export type DealsRequest = { readonly page: PageRequest } & (
  | { readonly of: { readonly position: number } | { readonly order: number }; readonly window: HistoryWindow | null }
  | { readonly of: null; readonly window: HistoryWindow }
);

/** @throws ApiError validation_error naming every problem */
export function dealsRequest(raw: Raw, nowMs: number): DealsRequest {
  const query = new QueryReader(raw);
  const position = query.positionTicket();
  const order = query.integer('order', { min: 1, max: largestInteger });
  if (position !== undefined && order !== undefined) query.refuse('order', 'cannot be given together with position');
  const page = readPage(query);
  const of = position !== undefined ? { position } : order !== undefined ? { order } : null;
  const request: DealsRequest =
    of === null
      ? { of, window: pagedWindow(query, nowMs, page), page }
      : { of, window: readOptionalWindow(query), page };
  query.finish();
  return request;
}

export interface DealRangeRequest {
  readonly window: HistoryWindow;
  readonly magic: number | undefined;
  readonly page: PageRequest;
}

/** @throws ApiError validation_error naming every problem */
export function dealRangeRequest(raw: Raw, nowMs: number): DealRangeRequest {
  const query = new QueryReader(raw);
  const magic = query.integer('magic', { min: 0, max: largestInteger });
  const page = readPage(query);
  const window = pagedWindow(query, nowMs, page);
  query.finish();
  return { window, magic, page };
}

/** Completed orders: one by its ticket, those of a position, or those of a window. */
export type OrdersRequest =
  | { readonly of: { readonly ticket: number } | { readonly position: number } }
  | { readonly of: null; readonly window: HistoryWindow; readonly page: PageRequest };

/** @throws ApiError validation_error naming every problem */
export function ordersRequest(raw: Raw, nowMs: number): OrdersRequest {
  const query = new QueryReader(raw);
  const ticket = query.integer('ticket', { min: 1, max: largestInteger });
  const position = query.integer('position', { min: 1, max: largestInteger });
  if (ticket !== undefined && position !== undefined) query.refuse('position', 'cannot be given together with ticket');
  const page = readPage(query);
  const window = pagedWindow(query, nowMs, page);
  query.finish();
  if (ticket !== undefined) return { of: { ticket } };
  return position === undefined ? { of: null, window, page } : { of: { position } };
}

/** @throws ApiError validation_error naming every problem */
export function totalRequest(raw: Raw, nowMs: number): HistoryWindow {
  const query = new QueryReader(raw);
  const window = readWindow(query, nowMs, defaultDays);
  query.finish();
  return window;
}

/** A position's ticket. @throws ApiError validation_error */
export function positionRequest(raw: Raw): number {
  const query = new QueryReader(raw);
  const position = query.positionTicket();
  if (query.text('position') === undefined) query.requiredText('ticket');
  query.finish();
  return position ?? 0;
}

/** @throws ApiError validation_error */
export function ticketRequest(raw: Raw): number {
  const query = new QueryReader(raw);
  query.requiredText('ticket');
  const ticket = query.integer('ticket', { min: 1, max: largestInteger });
  query.finish();
  return ticket ?? 0;
}

function readPage(query: QueryReader): PageRequest {
  const limit = query.integer('limit', { min: 1, max: largestPage }) ?? largestPage;
  const after = query.parsed('cursor', 'the `next_cursor` of an answer', parseCursor) ?? null;
  return { limit, after };
}

/** A default start stays that of the first page; computed again, it would skip rows not yet returned. */
function pagedWindow(query: QueryReader, nowMs: number, { after }: PageRequest): HistoryWindow {
  const window = readWindow(query, nowMs, defaultDays);
  return after === null || query.text('from_date') !== undefined ? window : { ...window, fromMs: after.windowFromMs };
}
