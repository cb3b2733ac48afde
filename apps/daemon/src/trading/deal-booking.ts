import type { DealRecord } from '@libs/gateway-client';
import type { Fill } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import type { OwnedTicket, TradeRecord } from '../state/records';

/** What a deal brought, with all it cost, in the account's currency. */
export function realizedBy(deal: Pick<DealRecord, 'profit' | 'commission' | 'swap' | 'fee'>): Decimal {
  return new Decimal(deal.profit).plus(deal.commission).plus(deal.swap).plus(deal.fee);
}

const entries = ['in', 'out', 'inout', 'out_by'] as const;
const reasons: Readonly<Record<number, Fill['reason']>> = { 3: 'strategy', 4: 'sl', 5: 'tp', 6: 'stop_out' };

/** A ticket with further deals of its position booked, each once, and the fills they are. */
export function bookDeals(
  owned: OwnedTicket,
  deals: readonly DealRecord[],
  intentOf: (deal: DealRecord) => string | null,
): { readonly owned: OwnedTicket; readonly fills: readonly Fill[] } {
  const known = new Set(owned.deals);
  const fresh = inOrder(deals.filter((deal) => !known.has(deal.ticket) && (deal.type === 0 || deal.type === 1)));
  let volumeIn = new Decimal(owned.volumeIn);
  let volumeOut = new Decimal(owned.volumeOut);
  let { side } = owned;
  for (const { entry, volume, type } of fresh) {
    const open = volumeIn.minus(volumeOut);
    if (entry === 0 || entry === 2) side = type === 0 ? 'buy' : 'sell';
    if (entry === 0) volumeIn = volumeIn.plus(volume);
    else if (entry === 2) {
      // A reversal closes what is open and opens the rest the other way.
      volumeIn = volumeIn.plus(new Decimal(volume).minus(open));
      volumeOut = volumeOut.plus(open);
    } else volumeOut = volumeOut.plus(volume);
  }
  return {
    owned: {
      ...owned,
      deals: [...owned.deals, ...fresh.map(({ ticket }) => ticket)],
      volumeIn: volumeIn.toString(),
      volumeOut: volumeOut.toString(),
      ...(side === undefined ? {} : { side }),
    },
    fills: fresh.map((deal) => fillOf(owned, deal, intentOf(deal))),
  };
}

/** Deals as they came about. */
export function inOrder(deals: readonly DealRecord[]): readonly DealRecord[] {
  return [...deals].sort((a, b) => a.time_msc - b.time_msc || a.ticket - b.ticket);
}

/** Lots of a ticket that are open by its booked deals. */
export function openVolume(owned: OwnedTicket): Decimal {
  return new Decimal(owned.volumeIn).minus(owned.volumeOut);
}

/** Whether an order still works under a ticket, or may do so: then more of it may fill, and it can be cancelled. */
export function isWorking({ working, volumeIn }: OwnedTicket): boolean {
  // Records of earlier versions do not say; their order is looked up until a deal of it is booked.
  return working ?? volumeIn === '0';
}

/** Everything that came in went out again, and no more can come in. */
export function isOver(owned: OwnedTicket): boolean {
  return !isWorking(owned) && owned.volumeIn !== '0' && openVolume(owned).lte(0);
}

function fillOf(owned: OwnedTicket, deal: DealRecord, intentId: string | null): Fill {
  return {
    intentId,
    deal: deal.ticket,
    position: owned.ticket,
    stream: owned.stream,
    symbol: owned.symbol,
    side: deal.type === 0 ? 'buy' : 'sell',
    entry: entries[deal.entry] ?? 'out',
    reason: reasons[deal.reason] ?? 'other',
    volume: deal.volume,
    price: deal.price,
    realized: realizedBy(deal).toNumber(),
    // The server's own time is no instant: without its zone it is not told at all.
    timeMs: deal.time_utc === null ? null : Date.parse(deal.time_utc),
  };
}

/** A fill as `lastTrade` of the status shows it. */
export function tradeRecordOf(fill: Fill): TradeRecord {
  return {
    timestamp: fill.timeMs === null ? null : new Date(fill.timeMs).toISOString(),
    side: fill.side,
    symbol: fill.symbol,
    volume: fill.volume,
    price: fill.price,
    realized: fill.realized,
  };
}
