import { Decimal } from 'decimal.js';
import type { Unexplained } from '@libs/account-evidence';
import { mutation, type ApiError } from '@libs/envelope';
import { countText } from '@libs/records';
import { NotSynchronizedError } from '../account-evidence/not-synchronized.error';
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
    `${countText(closed.length, 'position')} closed, ${failed.length} failed`,
    resultOf(many),
    { closed, failed, client_order_id: clientOrderId },
  );
  return answeredInParts(answer, failed.length);
}

/**
 * The failures to report while the account is not explained: each position in question that was neither closed nor reported, or one
 * without a ticket if none is named, because positions that are not shown may be open.
 */
export function doubtfulPositions(
  doubt: ApiError,
  known: readonly { readonly ticket: number; readonly symbol: string }[],
  reported: ReadonlySet<number>,
): FailedItem[] {
  const symbolOf = new Map(known.map(({ ticket, symbol }) => [ticket, symbol]));
  const item = { kind: 'position', error_type: doubt.errorType } as const;
  const rows = doubt.cause instanceof NotSynchronizedError ? doubt.cause.unexplained : [];
  const open = rows.flatMap(({ kind, ticket, symbol, message }): FailedItem[] => {
    // The others name a deal or an order.
    if (!positionKinds.includes(kind) || ticket === null || reported.has(ticket)) return [];
    return [{ ...item, ticket, symbol: symbolOf.get(ticket) ?? symbol ?? '', error: message }];
  });
  return open.length > 0 ? open : [{ ...item, ticket: 0, symbol: '', error: doubt.message }];
}

/** What is not explained of a position. */
const positionKinds: readonly Unexplained['kind'][] = [
  ...([
    'position_missing',
    'position_reduced',
    'position_without_deals',
    'deal_without_position',
    'position_behind',
  ] as const),
];

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
