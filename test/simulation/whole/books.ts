import { isWorking } from '../../../apps/daemon/src/core/deal-booking';
import type { StrategyBook } from '../../../apps/daemon/src/core/strategy-book';
import type { SimulatedBroker } from '../broker';
import type { GroupedOrder } from './invariants/groups';
import type { Holdings } from './invariants/ledgers';

/** What a strategy has on a gateway by its ledger. */
export function ledgerHoldings(book: StrategyBook, gateway: string): Holdings {
  const tickets = book.openTickets.filter(({ broker }) => broker === gateway);
  const lots = tickets.map(({ ticket }) => [ticket, Number(book.bookedVolume(gateway, ticket) ?? 0)] as const);
  return {
    positions: new Map(lots.filter(([, volume]) => volume > 0)),
    orders: new Set(tickets.filter(isWorking).map(({ ticket }) => ticket)),
    realized: book.realizedOn(gateway)?.toNumber() ?? 0,
  };
}

/**
 * The orders of an account that belong to groups.
 * @param groupOf the group of the request behind a comment; null without one
 */
export function groupedOrders(
  { name, broker: { book } }: { readonly name: string; readonly broker: SimulatedBroker },
  groupOf: (comment: string) => string | null,
): GroupedOrder[] {
  const active = [...book.orders.values()].map((order) => ({ order, isActive: true }));
  const done = book.historyOrders.rows.map((order) => ({ order, isActive: false }));
  return [...active, ...done].flatMap(({ order: { ticket, comment }, isActive }) => {
    const group = groupOf(comment);
    const isFilled = group !== null && book.deals.find({ ticket }).length > 0;
    return group === null ? [] : [{ group, gateway: name, ticket, isActive, isFilled }];
  });
}

/** What a strategy has on an account by the broker's books: all that was opened under its magic, even if another one closed it. */
export function accountHoldings(book: SimulatedBroker['book'], magic: number): Holdings {
  const { positions, orders, deals } = book;
  const mine = new Set(deals.rows.filter((deal) => deal.magic === magic).map(({ position_id }) => position_id));
  const ofPositions = deals.rows.filter(({ position_id }) => mine.has(position_id));
  const open = [...positions.values()].filter((position) => position.magic === magic);
  return {
    positions: new Map(open.map(({ identifier, volume }) => [identifier, volume])),
    orders: new Set([...orders.values()].filter((order) => order.magic === magic).map(({ ticket }) => ticket)),
    realized: ofPositions.reduce((sum, { profit, swap, commission, fee }) => sum + profit + swap + commission + fee, 0),
  };
}
