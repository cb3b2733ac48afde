import type { ListFilter } from '@libs/terminal-client';
import { QueryReader } from '../http/query-reader';

/** Filters of the lists of orders and positions; a record must match all of them. */
export interface ListQuery {
  readonly symbol: string | undefined;
  readonly ticket: number | undefined;
  readonly magic: number | undefined;
}

/** @throws ApiError validation_error naming every problem */
export function readListFilter(raw: Readonly<Record<string, unknown>>): ListQuery {
  return listFilter(new QueryReader(raw), (query) => query.integer('ticket', { min: 1, max: Number.MAX_SAFE_INTEGER }));
}

/** The same for positions, whose ticket has two names. @throws ApiError validation_error naming every problem */
export function readPositionFilter(raw: Readonly<Record<string, unknown>>): ListQuery {
  return listFilter(new QueryReader(raw), (query) => query.positionTicket());
}

function listFilter(query: QueryReader, ticketOf: (query: QueryReader) => number | undefined): ListQuery {
  const filter = {
    symbol: query.text('symbol'),
    ticket: ticketOf(query),
    magic: query.integer('magic', { min: 0, max: Number.MAX_SAFE_INTEGER }),
  };
  query.finish();
  return filter;
}

/** The part of the filter that the terminal applies. Given both, it ignores all but the symbol, so one is sent. */
export function terminalFilter({ symbol, ticket }: ListQuery): ListFilter {
  if (ticket !== undefined) return { ticket };
  return symbol === undefined ? {} : { symbol };
}
