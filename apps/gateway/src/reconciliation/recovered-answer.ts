import { subtractVolume } from '@libs/terminal-client';
import { errorBody, mutation } from '@libs/envelope';
import { answeredFill } from '../orders/fill';
import { cancelAnswer } from '../orders/cancel-order.service';
import { orderAnswer } from '../orders/order-answer';
import { brokerRejected, nothingFound } from '../orders/send-errors';
import { sendResultBody } from '../orders/send-result.response';
import { closeAnswer } from '../positions/close-answer';
import type { ClosedItem, FailedItem } from '../positions/flatten.response';
import { wasAlreadySo } from '../trade-journal/classify-outcome';
import type { IntentRecord, IntentOutcome } from '../trade-journal/journal-records';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import type { StoredResponse } from '../trade-journal/trade-journal';

type Done = Extract<IntentOutcome, { readonly kind: 'done' }>;
type DoneIntent = IntentRecord & { readonly outcome: Done };

/** What a replay answers once every send of a request has been found out. */
export function recoveredAnswer(attempt: TradeAttempt): {
  readonly status: 'recovered' | 'absent';
  readonly response: StoredResponse;
} {
  const done = [...attempt.intents.values()].filter(isDone);
  const last = done.at(-1);
  if (!last) return { status: 'absent', response: nothingDone(attempt) };
  const isOfMany = attempt.record.route.endsWith('/close_all_positions') || attempt.record.route.endsWith('/kill');
  const { status, body } = isOfMany
    ? manyAnswer(attempt, done)
    : { status: 200, body: bodyOf(last, attempt.clientOrderId) };
  return { status: 'recovered', response: { status, body: JSON.stringify({ ...body, recovered: true }) } };
}

function nothingDone(attempt: TradeAttempt): StoredResponse {
  const rejection = [...attempt.intents.values()]
    .map(({ outcome }) => outcome)
    .findLast(({ kind }) => kind === 'rejected');
  const error = rejection?.kind === 'rejected' ? brokerRejected(rejection.result, rejection.lastError) : nothingFound();
  return { status: error.status, body: JSON.stringify(errorBody(error, attempt.record.requestId)) };
}

function bodyOf(intent: DoneIntent, clientOrderId: string | null): object {
  const { purpose, request, outcome } = intent;
  const { result } = outcome;
  switch (purpose) {
    case 'open':
      return orderAnswer({ request, result, fill: fillOf(outcome), ...noLevels, clientOrderId });
    case 'place_pending':
      return orderAnswer({ request, result, fill: null, ...noLevels, clientOrderId });
    case 'close':
    case 'close_partial':
      return closeAnswer(closedOf(intent), clientOrderId);
    case 'cancel':
      return cancelAnswer(request.order, result, clientOrderId);
    case 'modify_levels':
    case 'modify_order':
      return mutation(
        purpose === 'modify_levels'
          ? `levels of position ${request.position} changed`
          : `order ${request.order} changed`,
        sendResultBody(result),
        {
          ...(purpose === 'modify_levels' ? { position: request.position } : changedOrder(request)),
          sl: request.sl || null,
          tp: request.tp || null,
          sl_confirmed: outcome.source === 'lookup' ? true : null,
          tp_confirmed: outcome.source === 'lookup' ? true : null,
          no_changes: wasAlreadySo(purpose, result.retcode),
          client_order_id: clientOrderId,
        },
      );
  }
}

const noLevels = { position: null, slConfirmed: null, tpConfirmed: null } as const;

function changedOrder({ order, price, stoplimit }: IntentRecord['request']): object {
  return { ticket: order, price, stoplimit: stoplimit || null };
}

function closedOf(intent: DoneIntent): Parameters<typeof closeAnswer>[0] {
  const { request, outcome, positionVolume, purpose } = intent;
  const alreadyClosed = wasAlreadySo(purpose, outcome.result.retcode);
  const fill = fillOf(outcome);
  const closedVolume = alreadyClosed ? 0 : (fill.volume ?? request.volume);
  const remainingVolume = alreadyClosed ? 0 : subtractVolume(positionVolume, closedVolume);
  return { ticket: request.position, result: outcome.result, fill, closedVolume, remainingVolume, alreadyClosed };
}

/** Only what was sent is known: an interrupted request may have meant more. */
function manyAnswer(attempt: TradeAttempt, done: readonly DoneIntent[]): { status: number; body: object } {
  const closed: ClosedItem[] = done.filter(isClose).map((intent) => {
    const { ticket, fill, closedVolume } = closedOf(intent);
    const { symbol } = intent.request;
    return { ticket, symbol, volume: closedVolume, price: fill.price, deal: fill.deal, profit: null };
  });
  const tickets = new Set(closed.map(({ ticket }) => ticket));
  const failed: FailedItem[] = [...attempt.intents.values()]
    .filter((intent) => isClose(intent) && intent.outcome.kind !== 'done' && !tickets.has(intent.request.position))
    .map(({ request, outcome }) => {
      const error = outcome.kind === 'rejected' ? brokerRejected(outcome.result, outcome.lastError) : nothingFound();
      const { position: ticket, symbol } = request;
      return { kind: 'position', ticket, symbol, error_type: error.errorType, error: error.message };
    });
  const message = `${closed.length} positions closed, ${failed.length} failed`;
  const body = { ok: true, message, closed, failed, client_order_id: attempt.clientOrderId };
  return { status: failed.length > 0 ? 207 : 200, body };
}

function isClose({ purpose }: IntentRecord): boolean {
  return purpose === 'close' || purpose === 'close_partial';
}

/** A price that was looked up comes from a deal. */
function fillOf({ result, source }: Done): ReturnType<typeof answeredFill> {
  const fill = answeredFill(result);
  return source === 'lookup' && fill.source === 'order_send' ? { ...fill, source: 'deal' } : fill;
}

function isDone(intent: IntentRecord): intent is DoneIntent {
  return intent.outcome.kind === 'done';
}
