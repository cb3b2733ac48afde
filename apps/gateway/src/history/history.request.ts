import { QueryReader } from '../http/query-reader';
import { readOptionalWindow, readWindow, type HistoryWindow } from './history-window';

/** The most a ticket can be and still be told apart from its neighbours in JSON. */
const largestTicket = Number.MAX_SAFE_INTEGER;
const largestMagic = 2_147_483_647;

type Raw = Readonly<Record<string, unknown>>;

export type DealsRequest =
  | { readonly position: number; readonly window: HistoryWindow | null }
  | { readonly position: null; readonly window: HistoryWindow };

/** @throws ApiError validation_error naming every problem */
export function dealsRequest(raw: Raw, nowMs: number, maxDays: number): DealsRequest {
  const query = new QueryReader(raw);
  const position = query.integer('position', { min: 1, max: largestTicket });
  const request: DealsRequest =
    position === undefined
      ? { position: null, window: readWindow(query, nowMs, maxDays) }
      : { position, window: readOptionalWindow(query) };
  query.finish();
  return request;
}

export interface DealRangeRequest {
  readonly window: HistoryWindow;
  readonly magic: number | undefined;
}

/** @throws ApiError validation_error naming every problem */
export function dealRangeRequest(raw: Raw, nowMs: number, maxDays: number): DealRangeRequest {
  const query = new QueryReader(raw);
  const magic = query.integer('magic', { min: 0, max: largestMagic });
  const window = readWindow(query, nowMs, maxDays);
  query.finish();
  return { window, magic };
}

export type OrdersRequest = { readonly ticket: number } | { readonly ticket: null; readonly window: HistoryWindow };

/** @throws ApiError validation_error naming every problem */
export function ordersRequest(raw: Raw, nowMs: number, maxDays: number): OrdersRequest {
  const query = new QueryReader(raw);
  const ticket = query.integer('ticket', { min: 1, max: largestTicket });
  const window = readWindow(query, nowMs, maxDays);
  query.finish();
  return ticket === undefined ? { ticket: null, window } : { ticket };
}

/** @throws ApiError validation_error */
export function ticketRequest(raw: Raw): number {
  const query = new QueryReader(raw);
  query.requiredText('ticket');
  const ticket = query.integer('ticket', { min: 1, max: largestTicket });
  query.finish();
  return ticket ?? 0;
}
