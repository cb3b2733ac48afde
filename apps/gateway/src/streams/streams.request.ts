import type { IncomingHttpHeaders } from 'node:http';
import { QueryReader } from '../http/query-reader';
import type { TradeSubscription } from './trade-listener';

type Raw = Readonly<Record<string, unknown>>;

const mostSymbols = 200;
const longestSymbol = 64;
const numberRules = { min: 0, max: Number.MAX_SAFE_INTEGER };

export interface TickStreamRequest {
  readonly symbols: readonly string[];
  readonly since: number | undefined;
}

/** @throws ApiError validation_error naming every problem */
export function tickStreamRequest(raw: Raw, headers: IncomingHttpHeaders): TickStreamRequest {
  const query = new QueryReader(raw);
  const symbols = readSymbols(query, raw.symbols);
  const since = readSince(query, headers);
  query.finish();
  return { symbols, since };
}

/** @throws ApiError validation_error naming every problem */
export function tradeStreamRequest(raw: Raw, headers: IncomingHttpHeaders): TradeSubscription {
  const query = new QueryReader(raw);
  const magic = query.integer('magic', { min: 0, max: Number.MAX_SAFE_INTEGER });
  const since = readSince(query, headers);
  query.finish();
  return { magic, since };
}

export interface EventsRequest {
  readonly since: number | undefined;
  readonly limit: number;
  readonly magic: number | undefined;
}

/** @throws ApiError validation_error naming every problem */
export function eventsRequest(raw: Raw): EventsRequest {
  const query = new QueryReader(raw);
  const since = query.integer('since', numberRules);
  const limit = query.integer('limit', { min: 1, max: 1_000 }) ?? 100;
  const magic = query.integer('magic', { min: 0, max: Number.MAX_SAFE_INTEGER });
  query.finish();
  return { since, limit, magic };
}

/** The last event of a reconnecting client, from the Last-Event-ID header or the query. */
function readSince(query: QueryReader, headers: IncomingHttpHeaders): number | undefined {
  const header = headers['last-event-id'];
  if (header === undefined || header === '') return query.integer('since', numberRules);
  if (typeof header === 'string' && /^\d{1,16}$/.test(header) && Number.isSafeInteger(Number(header))) {
    return Number(header);
  }
  return query.refuse('Last-Event-ID', 'must be an event id of this stream');
}

function readSymbols(query: QueryReader, value: unknown): string[] {
  if (typeof value !== 'string' || value === '') {
    query.refuse('symbols', 'is required: a comma-separated list');
    return [];
  }
  const symbols = [...new Set(value.split(',').map((symbol) => symbol.trim()))].filter((symbol) => symbol !== '');
  if (symbols.length === 0 || symbols.length > mostSymbols) {
    query.refuse('symbols', `must name 1 to ${mostSymbols} symbols`);
  }
  if (symbols.some((symbol) => symbol.length > longestSymbol)) {
    query.refuse('symbols', `must have at most ${longestSymbol} characters each`);
  }
  return symbols;
}
