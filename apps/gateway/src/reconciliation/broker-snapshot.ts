import {
  latestDateS,
  type TerminalClient,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
} from '@libs/terminal-client';
import { longestClockChangeMs } from '../server-time/server-zone';
import type { IntentRecord } from '../trade-core/journal-records';
import { claimedTicket } from '../trade-core/ticket-claims';

/** Positions, orders and deals at the broker, read together; never partial. */
export interface BrokerSnapshot {
  readonly positions: readonly TradePosition[];
  /** Pending ones, and market orders in flight. */
  readonly orders: readonly TradeOrder[];
  readonly historyOrders: readonly TradeOrder[];
  readonly deals: readonly TradeDeal[];
}

/** Instants in server seconds. */
interface DateRange {
  readonly from: number;
  readonly to: number;
}

/** The rows that show the effects of sends. */
export type Effects = Pick<BrokerSnapshot, 'positions' | 'orders' | 'deals'>;

/**
 * Reads what shows the effects of sends that were done. The deals come last: a position that lacks a deal was read before it.
 * @throws TerminalUnavailableError if any part could not be read
 */
export async function readEffects(terminal: TerminalClient, sends: readonly IntentRecord[]): Promise<Effects> {
  const made = sends.flatMap((intent) => claimedTicket(intent) ?? []);
  const orders = await terminal.ordersGet();
  const positions = await terminal.positionsGet();
  const deals: TradeDeal[] = [];
  for (const ticket of made) deals.push(...(await terminal.historyDealsGet({ ticket })));
  return { orders, positions, deals };
}

/**
 * The history that shows everything that a send since a moment can have caused, in server seconds; the end is open. An end by the
 * wall clock would omit the latest orders and deals if that clock is behind, and they would count as not executed; and so would a
 * start by the quote before the send, if the server has set its clock back since.
 */
export function historySince(serverMsc: number): DateRange {
  return { from: Math.max(0, Math.floor((serverMsc - longestClockChangeMs) / 1_000)), to: latestDateS };
}

/**
 * Reads the account with a part of its history. That comes last, because an order moves from the pending list to the history and
 * never back, so none is missed between the reads.
 * @throws TerminalUnavailableError if any part could not be read
 */
export async function readBroker(terminal: TerminalClient, window: DateRange): Promise<BrokerSnapshot> {
  const orders = await terminal.ordersGet();
  const positions = await terminal.positionsGet();
  const historyOrders = await terminal.historyOrdersGet(window);
  const deals = await terminal.historyDealsGet(window);
  return { positions, orders, historyOrders, deals };
}
