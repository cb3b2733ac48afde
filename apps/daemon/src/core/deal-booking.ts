import type { DealRecord } from '@libs/gateway-client';
import type { Fill } from '@libs/strategy';
import { DealEntry, DealType, TradeReason } from '@libs/trade-constants';
import { Decimal } from 'decimal.js';
import { exactTotal } from './exact-total';
import type { OwnedTicket, TradeRecord } from './records';

/** Result of a deal in the account's currency, costs included. */
export function realizedBy(deal: Pick<DealRecord, 'profit' | 'commission' | 'swap' | 'fee'>): Decimal {
  const { profit, commission, swap, fee } = deal;
  const sum = new Decimal(profit);
  return hasCosts(deal) ? sum.plus(commission).plus(swap).plus(fee) : sum;
}

function hasCosts({ commission, swap, fee }: Pick<DealRecord, 'commission' | 'swap' | 'fee'>): boolean {
  return commission !== 0 || swap !== 0 || fee !== 0;
}

const entries: Readonly<Record<number, Fill['entry']>> = {
  [DealEntry.IN]: 'in',
  [DealEntry.OUT]: 'out',
  [DealEntry.INOUT]: 'inout',
  [DealEntry.OUT_BY]: 'out_by',
};
const reasons: Readonly<Record<number, Fill['reason']>> = {
  [TradeReason.EXPERT]: 'strategy',
  [TradeReason.SL]: 'sl',
  [TradeReason.TP]: 'tp',
  [TradeReason.SO]: 'stop_out',
};

/**
 * Books new deals of a position on its ticket, each once, and returns the fills. A deal may be shown late: what a reversal
 * closes depends on the deals before it, so the volumes are recounted whenever the list has every booked deal.
 */
export function bookDeals(
  owned: OwnedTicket,
  deals: readonly DealRecord[],
  intentOf: (deal: DealRecord) => string | null,
): { readonly owned: OwnedTicket; readonly fills: readonly Fill[] } {
  const known = new Set(owned.deals);
  const shown = inOrder(deals.filter(isTrade));
  const fresh = shown.filter((deal) => !known.has(deal.ticket));
  const isWhole = shown.length === fresh.length + known.size;
  let volumeIn = isWhole ? '0' : owned.volumeIn;
  let volumeOut = isWhole ? '0' : owned.volumeOut;
  let { side } = owned;
  for (const { entry, volume, type } of isWhole ? shown : fresh) {
    if (entry === DealEntry.IN || entry === DealEntry.INOUT) side = type === DealType.BUY ? 'buy' : 'sell';
    if (entry === DealEntry.IN) volumeIn = exactTotal(volumeIn, [volume]);
    else if (entry === DealEntry.INOUT) {
      // A reversal closes the open volume and opens the rest in the other direction.
      const open = new Decimal(volumeIn).minus(volumeOut);
      volumeIn = new Decimal(volumeIn).plus(new Decimal(volume).minus(open)).toString();
      volumeOut = open.plus(volumeOut).toString();
    } else volumeOut = exactTotal(volumeOut, [volume]);
  }
  const isSame = volumeIn === owned.volumeIn && volumeOut === owned.volumeOut && side === owned.side;
  if (fresh.length === 0 && isSame) return { owned, fills: [] };
  const after: OwnedTicket = {
    ...owned,
    deals: [...owned.deals, ...fresh.map(({ ticket }) => ticket)],
    volumeIn,
    volumeOut,
  };
  const booked = withSide(volumeOut === owned.volumeOut ? after : withCloseRead(after), side);
  return { owned: booked, fills: fresh.map((deal) => fillOf(owned, deal, intentOf(deal))) };
}

/** The deals of a close are booked. */
function withCloseRead(owned: OwnedTicket): OwnedTicket {
  if (owned.closeUnread === undefined) return owned;
  const { closeUnread: _, ...read } = owned;
  return read;
}

/** A new member comes first: V8 is slow to add one behind a spread. */
function withSide(owned: OwnedTicket, side: OwnedTicket['side']): OwnedTicket {
  if (side === owned.side || side === undefined) return owned;
  return owned.side === undefined ? { side, ...owned } : { ...owned, side };
}

/** Whether a deal moved a position, and not the balance alone. */
function isTrade({ type }: DealRecord): boolean {
  return type === DealType.BUY || type === DealType.SELL;
}

/** Deals in the order of execution: tickets rise, while the clock of the server is set back at the end of summer time. */
export function inOrder(deals: readonly DealRecord[]): readonly DealRecord[] {
  return [...deals].sort((a, b) => a.ticket - b.ticket);
}

/** Open lots of a ticket according to its booked deals. */
export function openVolume(owned: OwnedTicket): Decimal {
  const volumeIn = new Decimal(owned.volumeIn);
  return owned.volumeOut === '0' ? volumeIn : volumeIn.minus(owned.volumeOut);
}

/** Whether an order still works under a ticket, or may do so: then more of it may fill, and it can be cancelled. */
export function isWorking({ working, volumeIn }: OwnedTicket): boolean {
  // Records of earlier versions do not say; their order is looked up until a deal of it is booked.
  return working ?? volumeIn === '0';
}

/** All opened volume is closed, and no more can be opened. */
export function isOver(owned: OwnedTicket): boolean {
  const { volumeIn, volumeOut } = owned;
  if (isWorking(owned) || volumeIn === '0' || volumeOut === '0') return false;
  return volumeIn === volumeOut || openVolume(owned).lte(0);
}

function fillOf(owned: OwnedTicket, deal: DealRecord, intentId: string | null): Fill {
  return {
    intentId,
    deal: deal.ticket,
    position: owned.ticket,
    stream: owned.stream,
    tag: owned.tag ?? null,
    symbol: owned.symbol,
    side: deal.type === DealType.BUY ? 'buy' : 'sell',
    entry: entries[deal.entry] ?? 'out',
    reason: reasons[deal.reason] ?? 'other',
    volume: deal.volume,
    price: deal.price,
    realized: hasCosts(deal) ? realizedBy(deal).toNumber() : deal.profit,
    // Without a zone, server time is not an instant; omitted.
    timeMs: deal.time_utc === null ? null : Date.parse(deal.time_utc),
  };
}

/** A fill, as in `lastTrade` of the status. */
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
