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
  const query = new QueryReader(raw);
  const filter = {
    symbol: query.text('symbol'),
    ticket: query.integer('ticket', { min: 1, max: Number.MAX_SAFE_INTEGER }),
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
