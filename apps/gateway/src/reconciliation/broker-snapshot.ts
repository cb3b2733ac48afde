import type { TerminalClient, TradeDeal, TradeOrder, TradePosition } from '@libs/terminal-client';

const dayS = 86_400;

/** What the broker has, read in one go; only ever whole. */
export interface BrokerSnapshot {
  readonly positions: readonly TradePosition[];
  /** Pending ones, and market orders in flight. */
  readonly orders: readonly TradeOrder[];
  readonly historyOrders: readonly TradeOrder[];
  readonly deals: readonly TradeDeal[];
}

/** Server seconds from which on history is read, and the last day of it: a server's clock can be ahead of UTC. */
export function historyWindow(fromServerMsc: number, nowMs: number): { readonly from: number; readonly to: number } {
  const nowS = Math.floor(nowMs / 1_000);
  return { from: Math.max(0, Math.floor(fromServerMsc / 1_000) - 1), to: nowS + 2 * dayS };
}

/**
 * Reads everything that a send since a moment can have left. History comes last: an order moves from the pending ones
 * to the history and never back, so that none can slip through between the reads.
 * @throws TerminalUnavailableError when any part of it could not be read
 */
export async function readBroker(
  terminal: TerminalClient,
  fromServerMsc: number,
  nowMs: number,
): Promise<BrokerSnapshot> {
  const window = historyWindow(fromServerMsc, nowMs);
  const orders = await terminal.ordersGet();
  const positions = await terminal.positionsGet();
  const historyOrders = await terminal.historyOrdersGet(window);
  const deals = await terminal.historyDealsGet(window);
  return { positions, orders, historyOrders, deals };
}
