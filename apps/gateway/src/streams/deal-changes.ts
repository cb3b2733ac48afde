import { correctedDeals, isOfUnseenPosition, netVolume, type AccountLook } from '@libs/account-evidence';
import { DealEntry, type TradeDeal } from '@libs/terminal-client';
import type { KnownAccount } from './known-account';
import type { TradeChange } from './trade-event';

/**
 * Deals that have not been emitted yet; updates `known`. A deal whose position no list has shown belongs to a position
 * that opened and closed between two snapshots, which is then emitted as well, or is ahead of the list, in which case
 * it waits. So does a deal of a position that is shown as it was before it. A deal whose money the broker completed later is
 * emitted once more.
 * @param behind identifiers of the positions that are shown so
 */
export function dealChanges(known: KnownAccount, look: AccountLook, behind: ReadonlySet<number>): TradeChange[] {
  const listed = new Set(look.positions.map(({ identifier }) => identifier));
  for (const { ticket, time } of look.deals) known.deals.shown(ticket, time);
  // Before new deals move the balance.
  const corrected = correctedDeals(known, look);
  const changes: TradeChange[] = [];
  const passed = new Map<number, readonly TradeDeal[]>();
  for (const deal of untold(known, look)) {
    if (behind.has(deal.position_id)) continue;
    const life = isOfUnseenPosition(deal, known, listed) ? (look.dealsOf.get(deal.position_id) ?? []) : null;
    if (life) {
      const isOver = life.length > 0 && netVolume(life).isZero();
      if (!isOver) continue;
      passed.set(deal.position_id, life);
    }
    known.addDeal(deal);
    changes.push({ event: 'deal', action: 'added', deal });
  }
  for (const deal of corrected) {
    known.correctDeal(deal);
    changes.push({ event: 'deal', action: 'changed', deal });
  }
  for (const [position, deals] of passed) {
    known.closedLately.set(position, true);
    changes.push(...cameAndWent(position, deals));
  }
  return changes;
}

/** New deals of the history window and of the positions' own deals, in ticket order, as they happened. */
function untold(known: KnownAccount, look: AccountLook): TradeDeal[] {
  const found = new Map<number, TradeDeal>();
  for (const deal of [look.deals, ...look.dealsOf.values()].flat()) {
    if (!known.deals.has(deal.ticket, deal.time)) found.set(deal.ticket, deal);
  }
  return [...found.values()].sort((a, b) => a.ticket - b.ticket);
}

function cameAndWent(ticket: number, deals: readonly TradeDeal[]): TradeChange[] {
  const { symbol = '', magic = 0 } = deals[0] ?? {};
  const facts = { event: 'position', ticket, symbol, magic, position: null } as const;
  const out = deals.filter(({ entry }) => entry !== DealEntry.IN);
  return [
    { ...facts, action: 'opened' },
    { ...facts, action: 'closed', deals: out, complete: true },
  ];
}
