import type { TradeRequest } from './trade-request';

declare const sealed: unique symbol;

/**
 * A trade request that stands durably in a journal under `intentId`. Only {@link sealRequest} makes one, and only the
 * journal (and code that passes on what a journal made: the link's server, tests) may import it; the boundary check
 * sees to that. So a send that no journal knows of does not compile.
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
