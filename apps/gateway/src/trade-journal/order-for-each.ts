import type { TradeOrder } from '@libs/terminal-client';
import type { IntentRecord } from '../trade-core/journal-records';
import { isNamedByOther, possibleOrders, type ClaimOf } from './trace-match';

/** A send with the tickets of the orders that it can have made. */
interface Claimant {
  readonly tickets: readonly number[];
}

/**
 * Those of the orders that a send can have made that leave one for each send that competes for them. With none, there are fewer
 * orders than sends, and any of them may belong to another send.
 * @param candidates the orders that the send can have made
 * @param rivals other sends whose order is not known
 * @param orders all orders of the time in which these were sent
 */
export function ordersLeftFor(
  intent: IntentRecord,
  candidates: readonly TradeOrder[],
  rivals: readonly IntentRecord[],
  orders: readonly TradeOrder[],
  claimOf: ClaimOf,
): TradeOrder[] {
  const sends = [intent, ...rivals];
  const claimants = rivals.map((rival) => ({
    tickets: possibleOrders(rival, orders, claimOf)
      .filter((order) => !isNamedByOther(rival, order, sends, claimOf))
      .map(({ ticket }) => ticket),
  }));
  const competing = competitorsFor(
    candidates.map(({ ticket }) => ticket),
    claimants,
  );
  return candidates.filter(({ ticket }) => isOrderForEach(competing, ticket));
}

/** Sends that can have made one of these orders, or an order that such a send can have made, and so on. */
function competitorsFor(tickets: readonly number[], claimants: readonly Claimant[]): Claimant[] {
  const contested = new Set(tickets);
  const found = new Set<Claimant>();
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const claimant of claimants) {
      if (!claimant.tickets.some((ticket) => contested.has(ticket))) continue;
      found.add(claimant);
      for (const ticket of claimant.tickets) contested.add(ticket);
    }
  }
  return [...found];
}

/** Whether each send can have an order of its own without this one: a matching by augmenting paths. */
function isOrderForEach(claimants: readonly Claimant[], except: number): boolean {
  const owners = new Map<number, Claimant>();
  const finds = (claimant: Claimant, tried: Set<number>): boolean =>
    claimant.tickets.some((ticket) => {
      if (ticket === except || tried.has(ticket)) return false;
      tried.add(ticket);
      const owner = owners.get(ticket);
      if (owner && !finds(owner, tried)) return false;
      owners.set(ticket, claimant);
      return true;
    });
  return claimants.every((claimant) => finds(claimant, new Set()));
}
