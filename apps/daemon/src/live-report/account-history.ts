import type { DealRecord, GatewayReads, PositionRecord } from '@libs/gateway-client';
import type { StrategySpec } from '../core/strategy-spec';
import { openVolume } from '../core/deal-booking';
import type { OwnedTicket } from '../core/records';
import { DealEntry } from '@libs/trade-constants';
import { isTradeDeal, isWhole, positionsOf, type LivePosition, type PositionOwner } from './live-position';
import { tradeOf } from './live-trade';

/** Where a history is read, and which strategy it belongs to. */
export interface HistoryOf {
  readonly gateway: string;
  readonly reads: GatewayReads;
  readonly strategies: readonly Pick<StrategySpec, 'name' | 'magic'>[];
  /** Tickets of these strategies in the daemon's records. */
  readonly tickets: readonly OwnedTicket[];
  /** Positions that were closed before this instant are left out; UTC milliseconds. */
  readonly fromMs: number;
  /**
   * After the newest deal, also where a period ends earlier: a position that was open at its end may have been closed since
   * then. UTC milliseconds.
   */
  readonly untilMs: number;
}

/**
 * Reads the positions of strategies from the history of an account: those with a deal since an instant, and those that are
 * open there or in the daemon's records. Each has all of its deals.
 * @throws GatewayReadError, UnknownZoneError
 */
export async function readHistory(of: HistoryOf): Promise<readonly LivePosition[]> {
  const { gateway, reads } = of;
  const [from_date, to_date] = [new Date(of.fromMs), new Date(of.untilMs)];
  const deals = await reads.historyDealsRange({ from_date, to_date });
  // Read after the deals: a position that opens in between is in this list, and one that closes is not whole by its deals.
  const rows = await reads.positions();
  const open = new Map(rows.map((row) => [row.identifier, row]));
  const known = dealsByPosition(deals);
  const positions: LivePosition[] = [];
  const booked = of.tickets.filter((owned) => owned.broker === gateway && isBookedOpen(owned));
  for (const ticket of new Set([...known.keys(), ...open.keys(), ...booked.map((owned) => owned.ticket)])) {
    const row = open.get(ticket) ?? null;
    if (!mayBeOurs(of, ticket, known.get(ticket) ?? [], row)) continue;
    const all = await wholeDeals(reads, ticket, known.get(ticket) ?? [], row !== null);
    const owner = ownerOf(of, ticket, all);
    const symbol = all[0]?.symbol ?? row?.symbol ?? '';
    if (owner !== null) positions.push(...positionsOf(owner, { gateway, ticket, symbol }, all, row));
  }
  return positions;
}

/** Positions that the daemon's records hold, and that the account lacks although no deal has closed them. */
export function lackingPositions(
  { gateway, tickets }: Pick<HistoryOf, 'gateway' | 'tickets'>,
  positions: readonly LivePosition[],
): readonly OwnedTicket[] {
  return tickets.filter((owned) => {
    if (owned.broker !== gateway || !isBookedOpen(owned)) return false;
    const last = positions.findLast((position) => position.gateway === gateway && position.ticket === owned.ticket);
    return last === undefined || (last.row === null && tradeOf(last).closedMs === null);
  });
}

function isBookedOpen(owned: OwnedTicket): boolean {
  return !owned.closed && openVolume(owned).gt(0);
}

function dealsByPosition(deals: readonly DealRecord[]): ReadonlyMap<number, readonly DealRecord[]> {
  const positions = new Map<number, DealRecord[]>();
  for (const deal of deals) {
    if (!isTradeDeal(deal)) continue;
    const own = positions.get(deal.position_id);
    if (own) own.push(deal);
    else positions.set(deal.position_id, [deal]);
  }
  return positions;
}

/** Saves a read for each position of others whose entry was read. */
function mayBeOurs(of: HistoryOf, ticket: number, deals: readonly DealRecord[], row: PositionRecord | null): boolean {
  if (recordOf(of, ticket) !== null) return true;
  const isOurs = (magic: number): boolean => of.strategies.some((strategy) => strategy.magic === magic);
  const entry = deals.find((deal) => deal.entry === DealEntry.IN);
  if (row !== null) return isOurs(row.magic);
  return entry === undefined || isOurs(entry.magic);
}

async function wholeDeals(
  reads: GatewayReads,
  ticket: number,
  deals: readonly DealRecord[],
  isOpen: boolean,
): Promise<readonly DealRecord[]> {
  return isWhole(deals, isOpen) ? deals : (await reads.dealsOfPosition(ticket)).filter(isTradeDeal);
}

/** The strategy that a position belongs to: by the daemon's records, else by the magic of its entry. */
function ownerOf(of: HistoryOf, ticket: number, deals: readonly DealRecord[]): PositionOwner | null {
  const record = recordOf(of, ticket);
  if (record !== null) {
    const { strategy, stream, intentId, tag } = record;
    return { strategy, stream, intentId, tag, knownBy: 'records' };
  }
  const entry = deals.find((deal) => deal.entry === DealEntry.IN);
  const strategy = of.strategies.find(({ magic }) => magic === entry?.magic);
  return strategy ? { strategy: strategy.name, stream: '', intentId: null, knownBy: 'magic' } : null;
}

function recordOf({ tickets, gateway }: HistoryOf, ticket: number): OwnedTicket | null {
  return tickets.find((owned) => owned.broker === gateway && owned.ticket === ticket) ?? null;
}
