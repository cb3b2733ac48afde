import type { DealRecord, PositionRecord } from '@libs/gateway-client';
import type { Fill } from '@libs/strategy';
import { DealEntry, DealType } from '@libs/trade-constants';
import { Decimal } from 'decimal.js';
import { bookDeals, inOrder } from '../core/deal-booking';
import type { OwnedTicket } from '../core/records';

/** Who says that a position belongs to a strategy: the daemon's records, or nothing but its magic. */
export type KnownBy = 'records' | 'magic';

/** Which strategy a position belongs to. */
export interface PositionOwner {
  readonly strategy: string;
  readonly knownBy: KnownBy;
  /** The stream of its entry; an empty text where the records lack the position. */
  readonly stream: string;
  /** The intent that opened it; null if the records lack it. */
  readonly intentId: string | null;
  /** The tag of its entry; absent without one, and where the records lack the position. */
  readonly tag?: string | undefined;
}

/** A fill with the costs that its deal has. They are part of `realized`. */
export interface LiveFill extends Fill {
  readonly timeMs: number;
  readonly commission: number;
  readonly swap: number;
  readonly fee: number;
}

/** A position from its opening, or from a reversal of it, to its end. */
export interface LivePosition extends PositionOwner {
  readonly gateway: string;
  readonly ticket: number;
  readonly symbol: string;
  readonly fills: readonly LiveFill[];
  /** Its row while it is open; null if it is closed, or was open at an earlier end of the period. */
  readonly row: PositionRecord | null;
}

/** A deal has no time in UTC: the gateway does not know the zone of its broker's clock. */
export class UnknownZoneError extends Error {}

/**
 * The positions that the deals of one ticket made, in their order: a reversal ends one and opens another. The result and the
 * costs of a reversal belong to the position that it ends.
 * @param deals all deals of the ticket
 * @param row the position as it is now; null if it is closed
 * @throws UnknownZoneError
 */
export function positionsOf(
  owner: PositionOwner,
  of: { readonly gateway: string; readonly ticket: number; readonly symbol: string },
  deals: readonly DealRecord[],
  row: PositionRecord | null,
): readonly LivePosition[] {
  const positions: LiveFill[][] = [];
  let open = new Decimal(0);
  for (const fill of fillsOf(owner, of, deals)) {
    const current = positions.at(-1);
    if (fill.entry === 'inout' && current) {
      const rest = new Decimal(fill.volume).minus(open).toNumber();
      current.push({ ...fill, entry: 'out', volume: open.toNumber() });
      positions.push([{ ...fill, entry: 'in', volume: rest, realized: 0, commission: 0, swap: 0, fee: 0 }]);
      open = new Decimal(rest);
      continue;
    }
    open = fill.entry === 'in' ? open.plus(fill.volume) : open.minus(fill.volume);
    if (current) current.push(fill);
    else positions.push([fill]);
  }
  return positions.map((fills, index) => ({
    strategy: owner.strategy,
    knownBy: owner.knownBy,
    stream: owner.stream,
    intentId: owner.intentId,
    ...(owner.tag === undefined ? {} : { tag: owner.tag }),
    gateway: of.gateway,
    ticket: of.ticket,
    symbol: of.symbol,
    fills,
    row: index === positions.length - 1 ? row : null,
  }));
}

/** Whether a deal opened, enlarged, reduced or closed a position. */
export function isTradeDeal({ type }: Pick<DealRecord, 'type'>): boolean {
  return type === DealType.BUY || type === DealType.SELL;
}

/** Whether the deals account for a whole position: its entry is there, and what is closed by them is not open. */
export function isWhole(deals: readonly DealRecord[], isOpen: boolean): boolean {
  let open = new Decimal(0);
  for (const { entry, volume } of inOrder(deals)) {
    if (open.isZero() && entry !== DealEntry.IN) return false;
    if (entry === DealEntry.IN) open = open.plus(volume);
    else if (entry === DealEntry.INOUT) open = new Decimal(volume).minus(open);
    else open = open.minus(volume);
  }
  return deals.length > 0 && open.isZero() !== isOpen;
}

function fillsOf(
  { strategy, stream, intentId, tag }: PositionOwner,
  { gateway, ticket, symbol }: { readonly gateway: string; readonly ticket: number; readonly symbol: string },
  deals: readonly DealRecord[],
): readonly LiveFill[] {
  const trades = inOrder(deals.filter(isTradeDeal));
  const blank: OwnedTicket = {
    strategy,
    broker: gateway,
    ticket,
    stream,
    symbol,
    intentId,
    deals: [],
    volumeIn: '0',
    volumeOut: '0',
    ...(tag === undefined ? {} : { tag }),
    closed: false,
  };
  const { fills } = bookDeals(blank, trades, ({ entry }) => (entry === DealEntry.IN ? intentId : null));
  const byTicket = new Map(trades.map((deal) => [deal.ticket, deal]));
  return fills.map((fill) => {
    const { timeMs } = fill;
    if (timeMs === null) {
      throw new UnknownZoneError(
        `gateway ${gateway} does not know the zone of the broker's clock, so the times of its deals are not known: set TERMINAL_SERVER_TIME_ZONE for it`,
      );
    }
    const { commission = 0, swap = 0, fee = 0 } = byTicket.get(fill.deal) ?? {};
    return { ...fill, timeMs, commission, swap, fee };
  });
}
