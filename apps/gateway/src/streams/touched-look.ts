import { loadedRows, type AccountLook, type Unexplained } from '@libs/account-evidence';
import type { AccountChange, TerminalClient, TradeDeal, TradeOrder, TradePosition } from '@libs/terminal-client';
import { dealsInQuestion } from './account-look';
import type { KnownAccount } from './known-account';

/** Reads only the rows that changed, each by its ticket, so that the work does not depend on the size of the account. */
export async function readTouched(
  terminal: TerminalClient,
  known: KnownAccount,
  touched: AccountChange,
): Promise<AccountLook> {
  const orders: TradeOrder[] = [];
  const doneOrders: TradeOrder[] = [];
  const deals: TradeDeal[] = [];
  const unloaded: Unexplained[] = [];
  for (const ticket of touched.orders) {
    // In this order, an order that ends between the reads is seen twice rather than never.
    orders.push(...loadedRows('orders', await terminal.ordersGet({ ticket }), unloaded));
    doneOrders.push(...loadedRows('history_orders', await terminal.historyOrdersGet({ ticket }), unloaded));
    deals.push(...loadedRows('deals', await terminal.historyDealsGet({ ticket }), unloaded));
  }
  const { positions, identifiers } = await readPositions(terminal, known, ticketsOf(known, touched, deals), unloaded);
  const scope = { positions: identifiers, orders: touched.orders };
  const dealsOf = await dealsInQuestion(terminal, known, { positions, deals, scope });
  const endOf = new Map(doneOrders.map((order) => [order.ticket, order]));
  return {
    scope,
    unloaded,
    account: null,
    isProfitOff: false,
    historyFrom: null,
    orders,
    positions,
    deals,
    doneOrders,
    dealsOf,
    endOf,
  };
}

/** Tickets of the positions that changed, and of those that the deals belong to. */
function ticketsOf(
  known: KnownAccount,
  { positions }: AccountChange,
  deals: readonly TradeDeal[],
): ReadonlySet<number> {
  const tickets = new Set(positions);
  for (const { position_id } of deals) {
    if (position_id !== 0) tickets.add(known.positions.get(position_id)?.record.ticket ?? position_id);
  }
  return tickets;
}

async function readPositions(
  terminal: TerminalClient,
  known: KnownAccount,
  tickets: ReadonlySet<number>,
  unloaded: Unexplained[],
): Promise<{ readonly positions: readonly TradePosition[]; readonly identifiers: ReadonlySet<number> }> {
  const positions: TradePosition[] = [];
  const identifiers = new Set<number>();
  // A position keeps its identifier when it gets another ticket.
  for (const [identifier, { record }] of known.positions) if (tickets.has(record.ticket)) identifiers.add(identifier);
  for (const ticket of tickets) {
    for (const position of loadedRows('positions', await terminal.positionsGet({ ticket }), unloaded)) {
      positions.push(position);
      identifiers.add(position.identifier);
    }
  }
  return { positions, identifiers };
}
