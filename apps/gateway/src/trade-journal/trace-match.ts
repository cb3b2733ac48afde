import { Decimal } from 'decimal.js';
import { DealEntry, OrderState, OrderType, TradeReason, type TradeDeal, type TradeOrder } from '@libs/terminal-client';
import { closes, type IntentRecord, type TicketClaim } from '../trade-core/journal-records';
import { tagPattern } from './key-marks';

type Intent = Pick<IntentRecord, 'id' | 'purpose' | 'request' | 'serverTimeMsc' | 'positionId' | 'by'>;

/** The request that an order belongs to; undefined if none is known. */
export type ClaimOf = (ticket: number) => TicketClaim | undefined;

const byLevel: readonly number[] = [TradeReason.SL, TradeReason.TP, TradeReason.SO];

/** Whether a level or a stop-out made an order or deal. */
export function isByLevel({ reason }: Pick<TradeOrder, 'reason'>): boolean {
  return byLevel.includes(reason);
}

/** Whether a deal only closes. */
export function isExit({ entry }: Pick<TradeDeal, 'entry'>): boolean {
  return entry === DealEntry.OUT || entry === DealEntry.OUT_BY;
}

/** How far the clock of trades may be behind that of quotes. */
export const clockToleranceMs = 15_000;

/** A stop-limit order becomes a limit order once it is triggered, under the same ticket. */
const typeAfterTrigger = new Map<number, number>([
  [OrderType.BUY_STOP_LIMIT, OrderType.BUY_LIMIT],
  [OrderType.SELL_STOP_LIMIT, OrderType.SELL_LIMIT],
]);

/**
 * The orders that one send can have made: of its symbol, type, volume and magic (a close: of its position), not older
 * than the quote before it, made by a program rather than by hand or by a level, and not claimed by another send.
 * Comments only ever exclude, because brokers overwrite them.
 */
export function matchingOrders(intent: Intent, orders: readonly TradeOrder[], claimOf: ClaimOf): TradeOrder[] {
  return orders.filter((order) => couldBeFrom(intent, order, 'strict') && isFreeFor(intent, order, claimOf));
}

/**
 * As {@link matchingOrders}, with the orders of a clock of trades behind that of quotes and of a broker that shows magic 0. An order
 * that another send may have made in this way is not certainly that of a send that it matches.
 */
export function possibleOrders(intent: Intent, orders: readonly TradeOrder[], claimOf: ClaimOf): TradeOrder[] {
  return orders.filter((order) => couldBeFrom(intent, order, 'loose') && isFreeFor(intent, order, claimOf));
}

/**
 * Whether an order has the comment of another send that can have made it; then that send made it.
 * @param others sends whose order is not known
 */
export function isNamedByOther(
  { request }: Pick<Intent, 'request'>,
  order: TradeOrder,
  others: readonly Intent[],
  claimOf: ClaimOf,
): boolean {
  if (order.comment === '' || order.comment === request.comment) return false;
  const named = others.filter((other) => other.request.comment === order.comment);
  return named.some((other) => matchingOrders(other, [order], claimOf).length > 0);
}

type Likeness = 'strict' | 'loose';

function couldBeFrom(intent: Intent, order: TradeOrder, likeness: Likeness): boolean {
  const { purpose, request, serverTimeMsc, positionId } = intent;
  const isClose = closes(purpose);
  return (
    order.symbol === request.symbol &&
    (purpose === 'close_by' ? isCloseBy(intent, order) : hasTypeAndVolume(request, order)) &&
    (!isClose || order.position_id === positionId) &&
    (isTagged(request, order) ? isTimely(serverTimeMsc, order) : isUntaggedLike(intent, isClose, order, likeness))
  );
}

function hasTypeAndVolume(request: Intent['request'], order: TradeOrder): boolean {
  return (
    (order.type === request.type || order.type === typeAfterTrigger.get(request.type)) &&
    new Decimal(order.volume_initial).eq(request.volume)
  );
}

/** The server takes the volume from the smaller of the two positions; the request names none. */
function isCloseBy({ by }: Intent, order: TradeOrder): boolean {
  return order.type === OrderType.CLOSE_BY && order.position_by_id === by?.positionId;
}

/** The tag of a key is in no other order, whatever a broker does to its magic, reason and time. */
function isTagged({ comment }: Intent['request'], order: TradeOrder): boolean {
  return tagPattern.test(comment) && order.comment === comment;
}

/**
 * What had an effect is of its key at any time: the clock of trades may be behind that of quotes, and be set back. What had none is
 * not taken for a later send of the same key.
 */
function isTimely(serverTimeMsc: number, { time_setup_msc, state }: TradeOrder): boolean {
  const hadEffect = state === OrderState.FILLED || state === OrderState.PLACED || state === OrderState.PARTIAL;
  return hadEffect || time_setup_msc >= serverTimeMsc;
}

function isUntaggedLike(
  { request: { magic }, serverTimeMsc }: Intent,
  isClose: boolean,
  order: TradeOrder,
  likeness: Likeness,
): boolean {
  const isLoose = likeness === 'loose';
  return (
    order.time_setup_msc >= serverTimeMsc - (isLoose ? clockToleranceMs : 0) &&
    order.reason === TradeReason.EXPERT &&
    (isClose || order.magic === magic || (isLoose && order.magic === 0)) &&
    !tagPattern.test(order.comment)
  );
}

function isFreeFor(intent: Intent, order: TradeOrder, claimOf: ClaimOf): boolean {
  const claim = claimOf(order.ticket);
  return claim === undefined || claim.intentId === intent.id;
}
