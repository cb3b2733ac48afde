import type { DealRecord } from '@libs/gateway-client';
import type { Fill } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import type { OwnedTicket, TradeRecord } from '../state/records';

/** What a deal brought, with all it cost, in the account's currency. */
export function realizedBy(deal: DealRecord): Decimal {
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
  const fresh = deals
    .filter((deal) => !known.has(deal.ticket) && (deal.type === 0 || deal.type === 1))
    .sort((a, b) => a.time_msc - b.time_msc || a.ticket - b.ticket);
  let volumeIn = new Decimal(owned.volumeIn);
  let volumeOut = new Decimal(owned.volumeOut);
  for (const { entry, volume } of fresh) {
    const open = volumeIn.minus(volumeOut);
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
      closed: volumeIn.gt(0) && volumeOut.gte(volumeIn),
    },
    fills: fresh.map((deal) => fillOf(owned, deal, intentOf(deal) ?? (deal.entry === 0 ? owned.intentId : null))),
  };
}

/** Lots of a ticket that are still open, by its booked deals. */
export function openVolume(owned: OwnedTicket): Decimal {
  return new Decimal(owned.volumeIn).minus(owned.volumeOut);
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
    timeMs: deal.time_utc === null ? deal.time_msc : Date.parse(deal.time_utc),
  };
}

/** A fill as `lastTrade` of the status shows it. */
export function tradeRecordOf(fill: Fill): TradeRecord {
  return {
    timestamp: new Date(fill.timeMs).toISOString(),
    side: fill.side,
    symbol: fill.symbol,
    volume: fill.volume,
    price: fill.price,
    realized: fill.realized,
  };
}
