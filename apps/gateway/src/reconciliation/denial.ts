import { Decimal } from 'decimal.js';
import { lotsText } from '@libs/records';
import {
  DealEntry,
  isBuyOrder,
  OrderState,
  OrderType,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
} from '@libs/terminal-client';
import type { IntentRecord } from '../trade-core/journal-records';
import { tagPattern } from '../trade-journal/key-marks';
import { clockToleranceMs, isByLevel, isExit, isNamedByOther } from '../trade-journal/trace-match';
import type { BrokerSnapshot } from './broker-snapshot';
import type { Surroundings } from './find-outcome';

/** A row is like a send if their volumes differ by less than this, whatever the digits in which they are shown. */
const likeVolume = 0.005;
/** A position stands with its volume of before if it lacks no more than this: less than any step of volumes. */
const volumeNoise = 1e-8;

/**
 * What stands against the claim that nothing was done: rows of the symbol that are new, changed or gone since the send and that no
 * other request explains, whatever their magic, comment and reason. Null if nothing does. A send is denied only by this.
 * @param broker everything since the send, less the tolerance for clocks, on an explained account
 */
export function againstDenial(intent: IntentRecord, broker: BrokerSnapshot, around: Surroundings): string | null {
  const { claimOf } = around;
  const others = [...around.underWay, ...around.rivals, ...around.acknowledged];
  const all = [...broker.orders, ...broker.historyOrders];
  const ofOthers = new Set(ticketsOf(all.filter((order) => isNamedByOther(intent, order, others, claimOf))));
  const isOwnOrFree = (ticket: number): boolean => {
    const claim = claimOf(ticket);
    return (claim === undefined || claim.intentId === intent.id) && !ofOthers.has(ticket);
  };
  switch (intent.purpose) {
    case 'open':
    case 'place_pending':
      return suspicion(openings(intent, broker, isOwnOrFree));
    case 'close':
    case 'close_partial':
      return againstNoClose(intent, broker, isOwnOrFree);
    case 'modify_order':
      return againstNoChange(intent, broker, isOwnOrFree);
    case 'close_by':
      return againstNoCloseBy(intent, broker, isOwnOrFree);
    case 'modify_levels':
    case 'cancel':
      // The values, or the order, stand as before: that was compared.
      return null;
  }
}

type IsFree = (ticket: number) => boolean;

/** Tickets of what may have been opened by a send. On a netting account, that includes exits. */
function openings(intent: IntentRecord, broker: BrokerSnapshot, isFree: IsFree): number[] {
  const orders = [...broker.orders, ...broker.historyOrders].filter(
    (order) =>
      isSince(intent, order.time_setup_msc, order.comment) &&
      isLikeIntent(intent, order.symbol, isBuyOrder(order.type), order.volume_initial) &&
      !isByLevel(order) &&
      !isRefused(order) &&
      isUnmarked(intent, order.comment) &&
      isFree(order.ticket),
  );
  const deals = broker.deals.filter(
    (deal) =>
      isSince(intent, deal.time_msc, deal.comment) &&
      isPartOfIntent(intent, deal.symbol, deal.type === 0, deal.volume) &&
      !isByLevel(deal) &&
      isUnmarked(intent, deal.comment) &&
      isFree(deal.order),
  );
  const positions = broker.positions.filter(
    (position) =>
      isSince(intent, position.time_msc, position.comment) &&
      isPartOfIntent(intent, position.symbol, position.type === 0, position.volume) &&
      isUnmarked(intent, position.comment) &&
      isFree(position.identifier) &&
      isFree(position.ticket),
  );
  return [...ticketsOf(orders), ...ordersOf(deals), ...ticketsOf(positions)];
}

/**
 * A close did nothing only if its position stands with the volume of before, less what other requests closed, and no exit since
 * is without a request.
 */
function againstNoClose(intent: IntentRecord, broker: BrokerSnapshot, isFree: IsFree): string | null {
  const position = broker.positions.find(({ identifier }) => identifier === intent.positionId);
  const reduced = new Decimal(intent.positionVolume).minus(standingLots(intent, position));
  const others = Decimal.sum(0, ...broker.deals.filter((deal) => isOthersExit(intent, deal, isFree)).map(lots));
  const own = broker.deals.filter(
    (deal) => mayBeExitOf(intent, deal) && isSince(intent, deal.time_msc, deal.comment) && isFree(deal.order),
  );
  // On an account that nets, an entry may have made up for what the close took.
  if (reduced.minus(others).lte(volumeNoise) && !own.some((deal) => isLikeClose(intent, deal))) return null;
  const tickets = ordersOf(own);
  const what = position ? `has ${lotsText(position.volume)}` : 'is gone';
  const by = tickets.length > 0 ? ` by order ${tickets.join(', ')}` : '';
  return `position ${intent.request.position} ${what}${by}, which no other request explains`;
}

/**
 * A close by did nothing only if no order or deal since is one of either position without a request, and both stand with their
 * volumes of before, less what was closed in other ways.
 */
function againstNoCloseBy(intent: IntentRecord, broker: BrokerSnapshot, isFree: IsFree): string | null {
  const { positionId, positionVolume, serverTimeMsc, request, by } = intent;
  if (!by || by.positionId === 0) return `position ${request.position_by} of before the send is not known`;
  const since = serverTimeMsc - clockToleranceMs;
  const positions = [positionId, by.positionId];
  const orders = [...broker.orders, ...broker.historyOrders].filter(
    (order) =>
      order.type === OrderType.CLOSE_BY &&
      order.time_setup_msc >= since &&
      (positions.includes(order.position_id) || positions.includes(order.position_by_id)) &&
      !isRefused(order) &&
      isFree(order.ticket),
  );
  const deals = broker.deals.filter(
    (deal) =>
      deal.entry === DealEntry.OUT_BY &&
      deal.time_msc >= since &&
      positions.includes(deal.position_id) &&
      isFree(deal.order),
  );
  const gone = [
    [request.position, positionId, positionVolume] as const,
    [request.position_by, by.positionId, by.positionVolume] as const,
  ].filter(([, id, before]) => {
    const standing = broker.positions.find(({ identifier }) => identifier === id)?.volume ?? 0;
    const exits = broker.deals.filter(
      ({ position_id, entry, time_msc, order }) =>
        position_id === id &&
        time_msc >= serverTimeMsc &&
        (entry === DealEntry.OUT || (entry === DealEntry.OUT_BY && !isFree(order))),
    );
    return new Decimal(before)
      .minus(standing)
      .minus(Decimal.sum(0, ...exits.map(lots)))
      .gt(volumeNoise);
  });
  return (
    suspicion([...ticketsOf(orders), ...ordersOf(deals)]) ??
    (gone[0] ? `position ${gone[0][0]} has less than before, which no other request explains` : null)
  );
}

function mayBeExitOf({ positionId }: IntentRecord, deal: TradeDeal): boolean {
  return deal.position_id === positionId && (isExit(deal) || deal.entry === DealEntry.INOUT);
}

function isLikeClose(intent: IntentRecord, deal: TradeDeal): boolean {
  return (
    isPartOfIntent(intent, deal.symbol, deal.type === 0, deal.volume) &&
    !isByLevel(deal) &&
    isUnmarked(intent, deal.comment)
  );
}

function standingLots({ request }: IntentRecord, position: TradePosition | undefined): Decimal {
  // On the side that the close would reduce; after a reversal nothing of it is left.
  if (!position || (position.type === 0) === isBuyOrder(request.type)) return new Decimal(0);
  return new Decimal(position.volume);
}

/** Strictly after the send, because an earlier one is in the volume of before. */
function isOthersExit({ positionId, serverTimeMsc }: IntentRecord, deal: TradeDeal, isFree: IsFree): boolean {
  return deal.position_id === positionId && isExit(deal) && deal.time_msc >= serverTimeMsc && !isFree(deal.order);
}

/** A broker may replace a changed order by another one. */
function againstNoChange(intent: IntentRecord, broker: BrokerSnapshot, isFree: IsFree): string | null {
  if (broker.orders.some(({ ticket }) => ticket === intent.request.order)) return null;
  const before = broker.historyOrders.find(({ ticket }) => ticket === intent.request.order);
  if (!before) return `order ${intent.request.order} is in no list`;
  const since = intent.serverTimeMsc - clockToleranceMs;
  const successors = [...broker.orders, ...broker.historyOrders].filter(
    ({ ticket, symbol, type, time_setup_msc }) =>
      ticket !== before.ticket &&
      symbol === before.symbol &&
      isBuyOrder(type) === isBuyOrder(before.type) &&
      time_setup_msc >= since &&
      isFree(ticket),
  );
  return before.state === OrderState.CANCELED ? suspicion(ticketsOf(successors)) : null;
}

function suspicion(tickets: readonly number[]): string | null {
  if (tickets.length === 0) return null;
  return `${[...new Set(tickets)].join(', ')} may be its effect: nothing else explains it`;
}

function isLikeIntent({ request }: IntentRecord, symbol: string, isBuy: boolean, volume: number): boolean {
  return (
    isNameOf(symbol, request.symbol) &&
    isBuy === isBuyOrder(request.type) &&
    new Decimal(volume).minus(request.volume).abs().lt(likeVolume)
  );
}

/** A fill, or what is left of a position, can be a part of what was sent. */
function isPartOfIntent({ request }: IntentRecord, symbol: string, isBuy: boolean, volume: number): boolean {
  return isNameOf(symbol, request.symbol) && isBuy === isBuyOrder(request.type) && volume < request.volume + likeVolume;
}

/** A broker that moves accounts adds or removes a prefix or a suffix of the names of its symbols. */
function isNameOf(shown: string, sent: string): boolean {
  return shown !== '' && (shown.includes(sent) || sent.includes(shown));
}

/** What has the send's own tag is of its key at any time: the clock of the server may have been set back since the quote. */
function isSince({ request, serverTimeMsc }: IntentRecord, timeMsc: number, comment: string): boolean {
  const isTagged = tagPattern.test(comment) && comment === request.comment;
  return isTagged || timeMsc >= serverTimeMsc - clockToleranceMs;
}

/** The tag of another key proves another request. */
function isUnmarked({ request }: IntentRecord, comment: string): boolean {
  return !tagPattern.test(comment) || comment === request.comment;
}

/** An order that the broker refused, or that was cancelled before anything of it was filled, has no effect. */
function isRefused({ state, volume_initial, volume_current }: TradeOrder): boolean {
  return state === OrderState.REJECTED && volume_current === volume_initial;
}

function ticketsOf(rows: readonly { readonly ticket: number }[]): number[] {
  return rows.map(({ ticket }) => ticket);
}

/** Tickets of the orders of deals; of a deal without one, its own. */
function ordersOf(deals: readonly TradeDeal[]): number[] {
  return deals.map(({ order, ticket }) => order || ticket);
}

function lots({ volume }: TradeDeal): number {
  return volume;
}
