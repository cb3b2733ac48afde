import type { Fill, Side } from '@libs/strategy';
import { floatingOf } from '../core/book-view';
import { roundTrips } from '../backtest/round-trips';
import { sum } from '../backtest/exact-sum';
import { Decimal } from 'decimal.js';
import type { KnownBy, LivePosition } from './live-position';

/** A closed or open trade of a live strategy. Times are UTC milliseconds, money is in the account's currency. */
export interface LiveTrade {
  readonly strategy: string;
  readonly gateway: string;
  /** Ticket of its position. */
  readonly position: number;
  readonly symbol: string;
  readonly side: Side;
  /** Lots that came in. */
  readonly volume: number;
  readonly openedMs: number;
  /** Average price of its entries. */
  readonly entryPrice: number;
  /** Null while it is open. */
  readonly closedMs: number | null;
  readonly exitPrice: number | null;
  readonly exitReason: Fill['reason'] | null;
  /** Result of its deals so far, costs included. */
  readonly realized: number;
  /** Part of `realized`: commission and fee. */
  readonly commission: number;
  /** Part of `realized` as well. */
  readonly swap: number;
  /** Floating result, swap included; null for a closed trade, and where the period ends before now. */
  readonly floating: number | null;
  readonly intentId: string | null;
  /** The tag of its entry; null without one, and where the records lack the position. */
  readonly tag: string | null;
  readonly knownBy: KnownBy;
}

/** The reported period, in UTC milliseconds. */
export interface Span {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  /** Whether `toMs` is the moment of the reading, so that nothing is cut off. */
  readonly isUntilNow: boolean;
}

/**
 * The positions of a period: those that were closed in it, and those that were open at its end, as they were at that moment.
 */
export function withinSpan(
  positions: readonly LivePosition[],
  { fromMs, toMs, isUntilNow }: Span,
): readonly LivePosition[] {
  return positions.flatMap((position) => {
    const fills = position.fills.filter(({ timeMs }) => isUntilNow || timeMs < toMs);
    if (fills.length === 0) return [];
    const cut = fills.length === position.fills.length ? position : { ...position, fills, row: null };
    const { closedMs } = tradeOf(cut);
    return closedMs !== null && closedMs < fromMs ? [] : [cut];
  });
}

/** The trades of positions, closed ones first, in the order of their closing. */
export function liveTrades(positions: readonly LivePosition[]): readonly LiveTrade[] {
  const endOf = ({ closedMs }: LiveTrade): number => closedMs ?? Infinity;
  return positions.map(tradeOf).sort((a, b) => (endOf(a) === endOf(b) ? a.openedMs - b.openedMs : endOf(a) - endOf(b)));
}

/** The trade of one position. */
export function tradeOf(position: LivePosition): LiveTrade {
  const { strategy, gateway, ticket, symbol, fills, row, intentId, tag = null, knownBy } = position;
  const [first] = fills;
  if (!first) throw new Error(`position ${ticket} on ${gateway} has no deals`);
  const [trip = null] = roundTrips(fills, new Map());
  const entries = fills.filter(({ entry }) => entry === 'in');
  const volume = sum(entries.map((fill) => fill.volume));
  return {
    strategy,
    gateway,
    position: ticket,
    symbol,
    side: first.side,
    volume,
    openedMs: first.timeMs,
    entryPrice: trip?.entryPrice ?? averageOf(entries, volume),
    closedMs: trip?.closedMs ?? null,
    exitPrice: trip?.exitPrice ?? null,
    exitReason: trip?.exitReason ?? null,
    realized: sum(fills.map(({ realized }) => realized)),
    commission: sum(fills.flatMap(({ commission, fee }) => [commission, fee])),
    swap: sum(fills.map(({ swap }) => swap)),
    floating: trip === null && row !== null ? floatingOf(row).toNumber() : null,
    intentId,
    tag,
    knownBy,
  };
}

function averageOf(entries: LivePosition['fills'], volume: number): number {
  const money = entries.reduce((total, fill) => total.plus(new Decimal(fill.price).times(fill.volume)), new Decimal(0));
  return money.div(volume).toDecimalPlaces(8).toNumber();
}
