import type { TradeDeal, TradeOrder, TradePosition } from '@libs/terminal-client';
import { ApiError, mutation } from '@libs/envelope';
import { wasAlreadySo } from '@libs/order-drafts';
import { answeredFill, dealtFill, dealtFillOf, isOnlyAccepted } from '../orders/fill';
import { cancelAnswer } from '../orders/cancel-order.service';
import { isSameValue, isShownSince, valuesOf } from '../orders/kept-values';
import { orderChanged } from '../orders/modify-order.service';
import { orderAnswer } from '../orders/order-answer';
import { brokerRejected, nothingFound } from '../orders/send-errors';
import type { OrderModifiedResponse } from '../orders/order-change.response';
import { sendResultBody } from '../orders/send-result.response';
import { onlyInPart, type ManyClosed } from '../positions/close-all';
import { closeAllAnswer } from '../positions/close-all-answer';
import { closeByAnswer } from '../positions/close-by.service';
import { closeAnswer, doubtOf } from '../positions/close-answer';
import type { ClosedItem, FailedItem } from '../positions/flatten.response';
import type { ModifyLevelsResponse } from '../positions/modify-levels.response';
import { remainingVolume } from '../positions/remaining-volume';
import {
  isInTerminalForm,
  orderSendAnswer,
  withTerminalResult,
  type ServiceAnswer,
} from '../order-send/order-send-answer';
import type { ServerTime } from '../server-time/server-time';
import type { StoredAnswer } from '../trade-core/core-event';
import { closes, type IntentOutcome, type IntentRecord } from '../trade-core/journal-records';
import { successorOf } from '../trade-core/ticket-claims';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import type { TradeAnswer } from '../trade-journal/trade-answer';
import { unknownOutcome } from '../trade-journal/unknown-outcome.error';
import { keptAnswer } from '../trade-journal/retry-key';
import type { Effects } from './broker-snapshot';

type Done = Extract<IntentOutcome, { readonly kind: 'done' }>;
type DoneIntent = IntentRecord & { readonly outcome: Done };

type Times = Pick<ServerTime, 'utcIso' | 'latestBefore'>;

/** What an answer needs to read. */
interface Read {
  /** What the broker shows of the sends; null if it could not be read: what only it shows is then null. */
  readonly effects: Effects | null;
  readonly times: Times;
  /** Digits of a symbol's prices; undefined while they are not known. */
  readonly digitsOf: (symbol: string) => number | undefined;
}

/** The answer of a replay once the outcome of every send is known. */
export function recoveredAnswer(
  attempt: TradeAttempt,
  read: Read,
): {
  readonly status: 'recovered' | 'absent';
  readonly response: StoredAnswer;
} {
  const done = [...attempt.intents.values()].filter(isDone);
  const last = done.at(-1);
  if (!last) return { status: 'absent', response: nothingDone(attempt) };
  const { status, body } = isOfMany(attempt)
    ? manyAnswer(attempt, done, read)
    : { status: 200, body: ofOne(attempt, last, read) };
  return { status: 'recovered', response: { status, body: JSON.stringify({ ...body, recovered: true }) } };
}

/**
 * Whether a request was to close many, and which of them is not known: its answer then needs all open positions, which only an
 * explained account shows.
 */
export function lacksItsLists(attempt: TradeAttempt): boolean {
  return isOfMany(attempt) && !knownLists(attempt, []).isWhole;
}

function ofOne(attempt: TradeAttempt, intent: DoneIntent, read: Read): object {
  const body = bodyOf(intent, attempt.clientOrderId, read);
  return isInTerminalForm(attempt) ? orderSendAnswer(body, intent.request) : body;
}

function isOfMany({ record: { route } }: TradeAttempt): boolean {
  return route.endsWith('/close_all_positions') || route.endsWith('/kill');
}

/** The answer of a replay if an outcome stays unknown. */
export function undecidableAnswer(attempt: TradeAttempt): StoredAnswer {
  const outcome = attempt.openIntents.map((intent) => intent.outcome).findLast(({ kind }) => kind === 'unknown');
  const { reason, result, lastError } = outcome?.kind === 'unknown' ? outcome : noReason;
  const { clientOrderId } = attempt;
  const error = withTerminalResult(
    unknownOutcome(reason, { clientOrderId, result, lastError, undecidable: true }),
    attempt,
  );
  return keptAnswer(error, attempt.record.requestId);
}

const noReason = { reason: 'it cannot be determined', result: null, lastError: null };

function nothingDone(attempt: TradeAttempt): StoredAnswer {
  const rejection = [...attempt.intents.values()]
    .map(({ outcome }) => outcome)
    .findLast(({ kind }) => kind === 'rejected');
  const problem =
    rejection?.kind === 'rejected' ? brokerRejected(rejection.result, rejection.lastError) : nothingFound();
  return keptAnswer(withTerminalResult(problem, attempt), attempt.record.requestId);
}

function bodyOf(intent: DoneIntent, clientOrderId: string | null, { effects, times, digitsOf }: Read): ServiceAnswer {
  const { purpose, request, outcome } = intent;
  const { result } = outcome;
  const digits = digitsOf(request.symbol);
  const placed = {
    request,
    result,
    digits,
    order: result.order || null,
    ...standingOf(intent, effects),
    clientOrderId,
  };
  switch (purpose) {
    case 'open':
      return orderAnswer({ ...placed, fill: fillOf(intent, effects) });
    case 'place_pending':
      return orderAnswer({ ...placed, fill: null });
    case 'close':
    case 'close_partial':
      return closeAnswer({ ...closedOf(intent, effects), digits }, clientOrderId);
    case 'close_by':
      return closeByAnswer({ ...closedByOf(intent, effects), digits }, clientOrderId);
    case 'cancel':
      return cancelAnswer(request.order, result, clientOrderId);
    case 'modify_levels':
      return levelsBody(intent, effects, clientOrderId);
    case 'modify_order':
      return changeBody(intent, effects, times, clientOrderId);
  }
}

type Placed = Parameters<typeof orderAnswer>[0];

/**
 * The position that an order opened or added to, and whether its levels are in force; for a pending order, those of the order.
 * The deal names the position, also once that is closed.
 */
function standingOf(
  { request, outcome: { result } }: DoneIntent,
  effects: Effects | null,
): Pick<Placed, 'position' | 'slConfirmed' | 'tpConfirmed'> {
  const order = effects?.orders.find(({ ticket }) => ticket === result.order);
  const identifier = (effects && dealtFill(dealsOf(result.order, effects))?.positionId) ?? result.order;
  const position = effects?.positions.find((row) => row.identifier === identifier);
  const isFilled = effects !== null && dealsOf(result.order, effects).length > 0;
  const verdict = (level: 'sl' | 'tp'): boolean | null => {
    const row = position ?? order;
    return request[level] > 0 && row ? isSameValue(row[level], request[level]) : null;
  };
  return {
    position: position?.ticket ?? (isFilled ? identifier : null),
    slConfirmed: verdict('sl'),
    tpConfirmed: verdict('tp'),
  };
}

function levelsBody(intent: DoneIntent, effects: Effects | null, clientOrderId: string | null): ModifyLevelsResponse {
  const { request, outcome } = intent;
  const read = effects?.positions.find(({ ticket }) => ticket === request.position);
  const position = read && isShownSince(read, intent) ? read : undefined;
  return mutation(`levels of position ${request.position} changed`, sendResultBody(outcome.result), {
    position: request.position,
    ...levelsInForce(intent, position),
    client_order_id: clientOrderId,
  });
}

function changeBody(
  intent: DoneIntent,
  effects: Effects | null,
  times: Times,
  clientOrderId: string | null,
): OrderModifiedResponse {
  const { request, outcome } = intent;
  const now = successorOf(intent) ?? request.order;
  const read = effects?.orders.find(({ ticket }) => ticket === now);
  const order = read && isShownSince(valuesOf(read), intent) ? read : undefined;
  return mutation(orderChanged(request.order, now), sendResultBody(outcome.result), {
    ticket: now,
    price: order?.price_open ?? request.price,
    stoplimit: (order?.price_stoplimit ?? request.stoplimit) || null,
    time_expiration_utc: times.utcIso(order?.time_expiration ?? request.expiration),
    ...levelsInForce(intent, order),
    client_order_id: clientOrderId,
  });
}

/** @param row the position or order as it is now */
function levelsInForce(
  { purpose, request, outcome }: DoneIntent,
  row: Pick<TradeOrder, 'sl' | 'tp'> | undefined,
): Pick<ModifyLevelsResponse, 'sl' | 'tp' | 'sl_confirmed' | 'tp_confirmed' | 'no_changes'> {
  // A look-up compared the levels when it found the change.
  const verdict = (level: 'sl' | 'tp'): boolean | null =>
    row ? isSameValue(row[level], request[level]) : outcome.source === 'lookup' ? true : null;
  return {
    sl: (row ?? request).sl || null,
    tp: (row ?? request).tp || null,
    sl_confirmed: verdict('sl'),
    tp_confirmed: verdict('tp'),
    no_changes: wasAlreadySo(purpose, outcome.result.retcode),
  };
}

function closedOf(intent: DoneIntent, effects: Effects | null): Parameters<typeof closeAnswer>[0] {
  const { request, outcome, positionId, positionVolume, purpose } = intent;
  const alreadyClosed = wasAlreadySo(purpose, outcome.result.retcode);
  const fill = fillOf(intent, effects);
  const isProven = !alreadyClosed && !isOnlyAccepted(outcome.result, fill);
  const closedVolume = isProven ? (fill.volume ?? request.volume) : 0;
  const shown = shownPosition(positionId, effects);
  const closedAtMsc = effects ? dealsOf(outcome.result.order, effects).at(-1)?.time_msc : undefined;
  const left = remainingVolume(positionVolume, closedVolume, shown, closedAtMsc ?? Infinity);
  return {
    ticket: request.position,
    result: outcome.result,
    fill,
    closedVolume,
    remainingVolume: alreadyClosed && shown === null ? 0 : left,
    alreadyClosed,
    isDoubtful: alreadyClosed && shown !== null,
  };
}

/** Both positions, by a later read as in {@link closedOf}. */
function closedByOf(intent: DoneIntent, effects: Effects | null): Parameters<typeof closeByAnswer>[0] {
  const { request, outcome, positionId, positionVolume, by } = intent;
  const { result } = outcome;
  const fill = fillOf(intent, effects);
  const whole = by ? Math.min(positionVolume, by.positionVolume) : positionVolume;
  const closed = isOnlyAccepted(result, fill) ? 0 : (fill.volume ?? whole);
  const left = (identifier: number | undefined, before: number): number => {
    if (closed >= before) return 0;
    return remainingVolume(before, closed, shownPosition(identifier, effects), Infinity);
  };
  return {
    ticket: request.position,
    oppositeTicket: request.position_by,
    result,
    fill,
    remaining: left(positionId, positionVolume),
    oppositeRemaining: left(by?.positionId, by?.positionVolume ?? 0),
  };
}

/** Null if it is gone; undefined if that could not be read. */
function shownPosition(identifier: number | undefined, effects: Effects | null): TradePosition | null | undefined {
  return effects ? (effects.positions.find((row) => row.identifier === identifier) ?? null) : undefined;
}

function dealsOf(order: number, { deals }: Effects): TradeDeal[] {
  return order > 0 ? deals.filter((deal) => deal.order === order) : [];
}

/**
 * The facts of the first answer and the outcomes known since. An interrupted request had no first answer, and one of a lost
 * journal has none any more; then only its sends are known, and what is open may have been meant as well.
 */
function manyAnswer(attempt: TradeAttempt, done: readonly DoneIntent[], { effects, times }: Read): TradeAnswer {
  const known = knownLists(attempt, done);
  const knownTickets = new Set([...known.closed, ...known.failed].map(({ ticket }) => ticket));
  const since = (intent: IntentRecord): boolean => isClose(intent) && !knownTickets.has(intent.request.position);
  const closes = done.filter(since).map((intent) => ({ ...closedOf(intent, effects), symbol: intent.request.symbol }));
  const filled = closes.filter((close) => doubtOf(close) === null);
  const closed = filled.map(({ ticket, symbol, fill, closedVolume: volume }): ClosedItem => {
    return { ticket, symbol, volume, price: fill.price, deal: fill.deal, profit: fill.profit };
  });
  const notSeen = closes.flatMap((close): FailedItem[] => {
    const doubt = doubtOf(close);
    return doubt === null ? [] : [failedItem(close.ticket, close.symbol, doubt)];
  });
  const inPart = filled
    .filter(({ remainingVolume }) => remainingVolume > 0)
    .map(({ ticket, symbol, remainingVolume }) => failedItem(ticket, symbol, onlyInPart(remainingVolume)));
  const closedTickets = new Set(closed.map(({ ticket }) => ticket));
  const rejected = [...attempt.intents.values()]
    .filter((intent) => since(intent) && intent.outcome.kind !== 'done' && !closedTickets.has(intent.request.position))
    .map(({ request, outcome }) => {
      const error = outcome.kind === 'rejected' ? brokerRejected(outcome.result, outcome.lastError) : nothingFound();
      return failedItem(request.position, request.symbol, error);
    });
  const many = {
    closed: [...known.closed, ...closed],
    failed: [...known.failed, ...inPart, ...notSeen, ...rejected],
    unknown: [],
  };
  if (!known.isWhole) many.failed.push(...openBeside(many, done, effects, times));
  return closeAllAnswer(many, attempt.clientOrderId);
}

/**
 * The positions that a request without its first answer may have been to close, and that are open. It had read what it was to close
 * before its first deal, so a position that was opened after that deal is not one of them. The time of a send does not tell: it is
 * that of a quote, which may be hours old.
 */
function openBeside(
  { closed, failed }: Pick<ManyClosed, 'closed' | 'failed'>,
  done: readonly DoneIntent[],
  effects: Effects | null,
  times: Times,
): FailedItem[] {
  if (effects === null) return [failedItem(0, '', new ApiError('unknown_outcome', notRead))];
  const named = new Set([...closed, ...failed].map(({ ticket }) => ticket));
  const deals = done.filter(isClose).flatMap(({ outcome }) => dealsOf(outcome.result.order, effects));
  const dealtMsc = deals.map(({ time_msc }) => time_msc).filter((msc) => msc > 0);
  // Without the time of a deal, any position that is open may be one of them.
  const lastMsc = dealtMsc.length === 0 ? Infinity : times.latestBefore(Math.min(...dealtMsc));
  return effects.positions
    .filter(({ ticket, time_msc: openedMsc }) => !named.has(ticket) && openedMsc <= lastMsc)
    .map(({ ticket, symbol }) => failedItem(ticket, symbol, new ApiError('unknown_outcome', mayBeMeant)));
}

const mayBeMeant =
  'this position is open; the first answer to the request is not known, so it may have been to close it';
const notRead =
  'the first answer to the request is not known, and the positions could not be read: some may be open. Read GET /get_positions';

function failedItem(ticket: number, symbol: string, error: ApiError): FailedItem {
  return { kind: 'position', ticket, symbol, error_type: error.errorType, error: error.message };
}

/**
 * The lists of the last answer; empty, and not whole, if it had none or they are of what was open beside its sends. A close that
 * is known to be executed since did not fail.
 */
function knownLists(
  { record: { response }, intents }: TradeAttempt,
  done: readonly DoneIntent[],
): { readonly closed: readonly ClosedItem[]; readonly failed: readonly FailedItem[]; readonly isWhole: boolean } {
  const { closed, failed = [] } =
    response === null ? {} : (JSON.parse(response) as { closed?: ClosedItem[]; failed?: FailedItem[] });
  const sent = new Set([...intents.values()].filter(isClose).map(({ request }) => request.position));
  const certain = failed.filter(({ error_type, ticket }) => error_type !== 'unknown_outcome' || sent.has(ticket));
  const closedBefore = new Set(closed?.map(({ ticket }) => ticket));
  const doneTickets = new Set(done.filter(isClose).map(({ request }) => request.position));
  return {
    closed: closed ?? [],
    failed: certain.filter(({ ticket }) => closedBefore.has(ticket) || !doneTickets.has(ticket)),
    isWhole: closed !== undefined && certain.length === failed.length,
  };
}

function isClose({ purpose }: IntentRecord): boolean {
  return closes(purpose);
}

/** A looked-up price comes from a deal. What the broker's answer lacks is in the deals, such as the profit of a close. */
function fillOf(intent: DoneIntent, effects: Effects | null): ReturnType<typeof answeredFill> {
  const { result, source } = intent.outcome;
  const fill = answeredFill(result);
  const dealt = effects && dealtFillOf(intent, dealsOf(result.order, effects));
  if (fill.source === 'unresolved') return dealt ?? fill;
  // Not all of the deals may be visible.
  const isWhole = dealt !== null && fill.volume !== null && dealt.volume !== null && dealt.volume >= fill.volume;
  return { ...fill, source: source === 'lookup' ? 'deal' : fill.source, profit: isWhole ? dealt.profit : null };
}

function isDone(intent: IntentRecord): intent is DoneIntent {
  return intent.outcome.kind === 'done';
}
