import type { TradeRequest } from './trade-request';

declare const sealed: unique symbol;

/**
 * A trade request that is stored durably in a journal under `intentId`. Only {@link sealRequest} creates one, and only
 * the journal (and code that forwards a journalled request: the link's server, tests) may import it, which the boundary
 * check enforces. So a send without a journal entry does not compile.
 */
export interface JournaledRequest {
  readonly intentId: string;
  readonly request: TradeRequest;
  readonly [sealed]: true;
}

/** Marks a request as journalled. Call it only after the intent is on disk. */
export function sealRequest(intentId: string, request: TradeRequest): JournaledRequest {
  return { intentId, request } as JournaledRequest;
}
