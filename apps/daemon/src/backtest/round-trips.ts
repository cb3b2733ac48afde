import type { Fill } from '@libs/strategy';
import { toFixedPoint } from '@libs/terminal-client/fixed-point';
import { Decimal } from 'decimal.js';
import type { PositionCosts } from './backtest-market';
import { sum } from './exact-sum';
import type { RoundTrip } from './round-trip';

export type { RoundTrip } from './round-trip';

/** The closed positions of a run, in the order they were closed. */
export function roundTrips(fills: readonly Fill[], costs: ReadonlyMap<number, PositionCosts>): readonly RoundTrip[] {
  return roundTripsOf(byPosition(fills), costs);
}

/** As {@link roundTrips}, of the fills {@link byPosition}. */
export function roundTripsOf(
  positions: ReadonlyMap<number, readonly Fill[]>,
  costs: ReadonlyMap<number, PositionCosts>,
): readonly RoundTrip[] {
  const trips: RoundTrip[] = [];
  for (const deals of positions.values()) {
    const trip = roundTripOf(deals, costs);
    if (trip !== null) trips.push(trip);
  }
  return trips.sort((a, b) => a.closedMs - b.closedMs || a.position - b.position);
}

/** The fills of each position, in their order. */
export function byPosition(fills: readonly Fill[]): ReadonlyMap<number, readonly Fill[]> {
  const positions = new Map<number, Fill[]>();
  for (const fill of fills) {
    const known = positions.get(fill.position);
    const [first, another] = known ?? [];
    if (first === undefined) positions.set(fill.position, [fill]);
    // Mostly these are all: an array that grows takes room for many more.
    else if (another === undefined) positions.set(fill.position, [first, fill]);
    else known?.push(fill);
  }
  return positions;
}

function roundTripOf(deals: readonly Fill[], costs: ReadonlyMap<number, PositionCosts>): RoundTrip | null {
  const [opening, closing, another] = deals;
  // Mostly one deal opens it and one closes it.
  const isPair = another === undefined && opening?.entry === 'in' && closing !== undefined && closing.entry !== 'in';
  const entries = isPair ? [opening] : deals.filter(({ entry }) => entry === 'in');
  const exits = isPair ? [closing] : deals.filter(({ entry }) => entry !== 'in');
  const [first] = entries;
  const last = exits.at(-1);
  if (!first || !last) return null;
  const volume = volumeOf(entries);
  if (volume !== volumeOf(exits)) return null;
  if (first.timeMs === null || last.timeMs === null) return null;
  const { commission = 0, swap = 0, fee = 0 } = costs.get(first.position) ?? {};
  return {
    position: first.position,
    side: first.side,
    symbol: first.symbol,
    tag: first.tag,
    volume,
    openedMs: first.timeMs,
    closedMs: last.timeMs,
    entryPrice: averagePrice(entries),
    exitPrice: averagePrice(exits),
    exitReason: last.reason,
    realized: isPair ? sum([opening.realized, closing.realized]) : sum(deals.map(({ realized }) => realized)),
    commission: commission + fee,
    swap,
  };
}

function volumeOf(fills: readonly Fill[]): number {
  const [only, another] = fills;
  if (only && another === undefined && !Number.isNaN(toFixedPoint(only.volume))) return only.volume;
  return sum(fills.map(({ volume }) => volume));
}

/** A price to eight decimals, which nearly every price has at most. */
function inHundredths(price: number): number {
  const isRounded = !Number.isNaN(toFixedPoint(price));
  return isRounded ? price : new Decimal(price).toDecimalPlaces(8).toNumber();
}

/** Weighted by volume, to a hundredth of the finest point there is. */
function averagePrice(fills: readonly Fill[]): number {
  const [only, another] = fills;
  if (only && !another) return inHundredths(only.price);
  const money = fills.reduce(
    (total, { price, volume }) => total.plus(new Decimal(price).times(volume)),
    new Decimal(0),
  );
  return money.div(volumeOf(fills)).toDecimalPlaces(8).toNumber();
}
