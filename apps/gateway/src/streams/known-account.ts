import type { TradeOrder, TradePosition } from '@libs/terminal-client';
import { SeenTickets, type SeenTicketsRecord } from './seen-tickets';

const closedKept = 500;

export interface KnownPosition {
  readonly record: TradePosition;
  /** Deals up to this ticket were reported with earlier changes of the position. */
  readonly toldThrough: number;
}

/** The account as reported by the event log so far, to compare with the terminal's lists. */
export interface KnownAccount {
  /** By identifier, which unlike the ticket survives reversals and re-openings. */
  readonly positions: Map<number, KnownPosition>;
  readonly orders: Map<number, TradeOrder>;
  readonly deals: SeenTickets;
  readonly doneOrders: SeenTickets;
  /** Identifiers of positions reported as closed; a lagging list may still show them. */
  readonly closedLately: Set<number>;
}

/** Format on disk. */
export interface KnownAccountRecord {
  readonly positions: readonly KnownPosition[];
  readonly orders: readonly TradeOrder[];
  readonly deals: SeenTicketsRecord;
  readonly doneOrders: SeenTicketsRecord;
  readonly closedLately: readonly number[];
}

export function recordOfAccount({
  positions,
  orders,
  deals,
  doneOrders,
  closedLately,
}: KnownAccount): KnownAccountRecord {
  return {
    positions: [...positions.values()],
    orders: [...orders.values()],
    deals: deals.record(),
    doneOrders: doneOrders.record(),
    closedLately: [...closedLately].slice(-closedKept),
  };
}

export function accountOfRecord({
  positions,
  orders,
  deals,
  doneOrders,
  closedLately,
}: KnownAccountRecord): KnownAccount {
  return {
    positions: new Map(positions.map((known) => [known.record.identifier, known])),
    orders: new Map(orders.map((order) => [order.ticket, order])),
    deals: new SeenTickets(deals),
    doneOrders: new SeenTickets(doneOrders),
    closedLately: new Set(closedLately),
  };
}

export function copyOfAccount({ positions, orders, deals, doneOrders, closedLately }: KnownAccount): KnownAccount {
  return {
    positions: new Map(positions),
    orders: new Map(orders),
    deals: deals.copy(),
    doneOrders: doneOrders.copy(),
    closedLately: new Set([...closedLately].slice(-closedKept)),
  };
}
