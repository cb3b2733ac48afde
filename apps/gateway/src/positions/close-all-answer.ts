import { Decimal } from 'decimal.js';
import { mutation, type ApiError } from '@libs/envelope';
import { answeredInParts, type TradeAnswer } from '../trade-journal/trade-answer';
import { unknownOutcome } from '../trade-journal/unknown-outcome.error';
import type { ManyClosed } from './close-all';
import type { FailedItem } from './flatten.response';
import type { CloseAllResponse, CloseAllResult } from './close-all.response';

/**
 * The 200 or 207 of POST /close_all_positions.
 * @throws ApiError unknown_outcome with the three lists while the outcome of a close is unknown
 */
export function closeAllAnswer(many: ManyClosed, clientOrderId: string | null): TradeAnswer {
  const { closed, failed, unknown } = many;
  if (unknown.length > 0) {
    throw unknownOutcome(`${unknown.length} of the closes may have been executed`, {
      clientOrderId,
      fields: { closed, failed, unknown },
    });
  }
  const answer: CloseAllResponse = mutation(
    `${closed.length} positions closed, ${failed.length} failed`,
    resultOf(many),
    { closed, failed, client_order_id: clientOrderId },
  );
  return answeredInParts(answer, failed.length);
}

/**
 * The failures to report while the account is not explained: each position in question that was not closed, or one without a
 * ticket if none is named, because positions that are not shown may be open.
 */
export function doubtfulPositions(
  doubt: ApiError,
  known: readonly { readonly ticket: number; readonly symbol: string }[],
  closed: ReadonlySet<number>,
): FailedItem[] {
  const { tickets = [] } = (doubt.details ?? {}) as { readonly tickets?: readonly number[] };
  const open = tickets.filter((ticket) => !closed.has(ticket));
  const symbolOf = new Map(known.map(({ ticket, symbol }) => [ticket, symbol]));
  return (open.length > 0 ? open : [0]).map((ticket) => ({
    kind: 'position',
    ticket,
    symbol: symbolOf.get(ticket) ?? '',
    error_type: doubt.errorType,
    error: doubt.message,
  }));
}

/** A partially closed position is in both lists. */
function resultOf({ closed, failed }: ManyClosed): CloseAllResult {
  const profits = closed.flatMap(({ profit }) => (profit === null ? [] : [profit]));
  return {
    positions: new Set([...closed, ...failed].map(({ ticket }) => ticket)).size,
    closed: closed.length,
    failed: failed.length,
    closed_volume: sum(closed.map(({ volume }) => volume)),
    profit: profits.length === closed.length ? sum(profits) : null,
  };
}

function sum(values: readonly number[]): number {
  return Decimal.sum(0, ...values).toNumber();
}
