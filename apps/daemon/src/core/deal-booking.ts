import type { DealRecord, PositionRecord } from '@libs/gateway-client';
import type { Fill } from '@libs/strategy';
import { DealEntry, DealType, TradeReason } from '@libs/trade-constants';
import { Decimal } from 'decimal.js';
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
export function isTrade({ type }: DealRecord): boolean {
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

/**
 * Looks in a row after which a profit counts although its price contradicts it, if no account is known: a minute. An account that is not
 * explained is not read, and nothing else says that the profit is wrong.
 */
const looksWanted = 60;
/** Share of a profit by which it may change without a change of price, as when a currency is converted at another rate. */
const ratesMove = 0.1;
/** In hundreds of the last digit of the account's currency. A smaller difference raises no doubt. */
const leastDoubt = 1;
/** Decimals of most currencies, where an account does not state them. */
const usualDigits = 2;

/**
 * Whether the price and the volume of a position contradict its floating profit: they stand, or have moved by far less than it
 * has since the last row that was believed.
 */
function isProfitAgainstPrice(believed: PositionRecord, shown: PositionRecord, moneyDigits = usualDigits): boolean {
  if (shown.volume !== believed.volume || shown.price_open !== believed.price_open) return false;
  const before = believed.price_current - believed.price_open;
  const now = shown.price_current - shown.price_open;
  // Where the position had moved by nothing, its profit tells nothing of what a move is worth.
  if (before === 0 && now !== 0) return false;
  const expected = before === 0 ? believed.profit : (believed.profit / before) * now;
  const lastDigit = 10 ** -moneyDigits;
  // A profit of a few cents tells little.
  const rounding = before === 0 ? 0 : Math.abs(now / before) * 2 * lastDigit;
  const allowed =
    leastDoubt * 100 * lastDigit + ratesMove * Math.max(Math.abs(expected), Math.abs(believed.profit)) + rounding;
  return Math.abs(shown.profit - expected) > allowed + Math.abs(expected - believed.profit);
}

/**
 * Whether a floating profit that its price contradicts is left aside: as long as the account's own is nearer to that of before,
 * or for a minute of looks if the account is unknown.
 * @param profits sum of all positions of the list
 * @param looks in a row at which it was doubted before this one
 * @param moneyDigits decimals of the account's currency; undefined if they are not known
 */
export function isProfitDoubted(
  believed: PositionRecord,
  shown: PositionRecord,
  { profits, accountProfit, looks }: { profits: number; accountProfit: number | null; looks: number },
  moneyDigits?: number,
): boolean {
  if (!isProfitAgainstPrice(believed, shown, moneyDigits)) return false;
  if (accountProfit === null) return looks + 1 < looksWanted;
  const before = profits - shown.profit + believed.profit;
  return Math.abs(before - accountProfit) < Math.abs(profits - accountProfit);
}

/** Sums as whole numbers of this part of a unit are exact below {@link tooLarge}: so many digits a double has. */
const scale = 1e8;
const tooLarge = 1e15;

/**
 * A sum of decimals, as text. Amounts of up to 8 decimals below ten million are added as whole numbers, others as decimals: the
 * text is the same.
 */
export function exactTotal(from: string, amounts: readonly number[]): string {
  let scaled = scaledOf(Number(from));
  for (const amount of amounts) scaled += scaledOf(amount);
  const total = scaled / scale;
  if (Math.abs(scaled) < tooLarge && String(Number(from)) === from) return String(total);
  return amounts.reduce((sum, amount) => sum.plus(amount), new Decimal(from)).toString();
}

/** NaN for a number of more than 8 decimals, or of ten million and more. */
function scaledOf(value: number): number {
  const scaled = Math.round(value * scale);
  return Math.abs(scaled) < tooLarge && scaled / scale === value ? scaled : Number.NaN;
}
