import { backoffMs, type Backoff } from '@libs/clock';
import type { Quote, Side, SymbolSpec, Trail } from '@libs/strategy';
import type { PositionRecord } from '@libs/gateway-client';
import { Decimal } from 'decimal.js';
import type { OwnedTicket, TrailRecord } from './records';

/** What the trailing stops of one strategy have seen. Their terms are in the tickets. Plain data. */
export interface Trails {
  readonly version: 1;
  readonly followed: readonly FollowedTrail[];
}

/** A trailing stop that has received a quote. */
export interface FollowedTrail extends TrailMarket {
  readonly broker: string;
  readonly ticket: number;
  readonly intentId: string;
  /** Whether its turn to move the stop-loss is requested. */
  readonly isDue: boolean;
  /** Changes in a row that were refused. */
  readonly refusals: number;
  /** Monotonic time until which nothing is sent, in milliseconds. */
  readonly pausedUntilMs: number;
}

/** A ticket that has a trailing stop. */
export type TrailedTicket = OwnedTicket & { readonly trail: TrailRecord };

export const noTrails: Trails = { version: 1, followed: [] };

/** Wait after the first refused change; each further one doubles it. */
const pauses: Backoff = { firstMs: 10_000, longestMs: 300_000 };

export function isTrailed(owned: OwnedTicket): owned is TrailedTicket {
  return owned.trail !== undefined;
}

/** What the trail of a ticket has seen; null before its first quote. */
export function followedOf({ followed }: Trails, { broker, ticket, trail }: OwnedTicket): FollowedTrail | null {
  const known = followed.find((one) => one.broker === broker && one.ticket === ticket);
  return known?.intentId === trail?.intentId ? (known ?? null) : null;
}

/** The trail of a ticket after a quote. */
export function withQuote(
  before: FollowedTrail | null,
  { broker, ticket, trail: { intentId, side } }: TrailedTicket,
  quote: Quote,
  terms: StopTerms,
): FollowedTrail {
  const price = exitPrice(side, quote);
  return {
    broker,
    ticket,
    intentId,
    best: before === null ? price : better(side, before.best, price),
    quote,
    terms,
    isDue: before?.isDue ?? false,
    refusals: before?.refusals ?? 0,
    pausedUntilMs: before?.pausedUntilMs ?? 0,
  };
}

/** The trails with one of them changed. Those of other tickets than these are over. */
export function put({ followed }: Trails, changed: FollowedTrail, open: readonly OwnedTicket[]): Trails {
  const others = followed.filter(
    (one) =>
      !(one.broker === changed.broker && one.ticket === changed.ticket) &&
      open.some(({ broker, ticket }) => broker === one.broker && ticket === one.ticket),
  );
  return { version: 1, followed: [...others, changed] };
}

/** The trails after a request of this intent was refused. Its trail waits before it sends another one. */
export function refused(trails: Trails, intentId: string, monotonicMs: number): Trails {
  return changed(trails, intentId, (one) => {
    return { ...one, refusals: one.refusals + 1, pausedUntilMs: monotonicMs + backoffMs(one.refusals, pauses) };
  });
}

/** The trails after a request of this intent was executed. */
export function moved(trails: Trails, intentId: string): Trails {
  return changed(trails, intentId, (one) => (one.refusals === 0 ? one : { ...one, refusals: 0 }));
}

function changed(trails: Trails, intentId: string, change: (one: FollowedTrail) => FollowedTrail): Trails {
  if (!trails.followed.some((one) => one.intentId === intentId)) return trails;
  const followed = trails.followed.map((one) => (one.intentId === intentId ? change(one) : one));
  return { version: 1, followed };
}

/** What a stop-loss of a symbol has to observe. */
export type StopTerms = Pick<SymbolSpec, 'tickSize' | 'digits' | 'stopsDistance' | 'freezeDistance'>;

/** The levels of a position in the last account snapshot. */
export type Levels = Pick<PositionRecord, 'price_open' | 'sl' | 'tp'>;

/** The market of a position that is trailed. */
export interface TrailMarket {
  /** Best price of the position since the trail began: the highest bid of a long one, the lowest ask of a short one. */
  readonly best: number;
  readonly quote: Quote;
  readonly terms: StopTerms;
}

/** Parts of the distance that the stop-loss moves by at least. Each change is a request to the terminal. */
const stepsInDistance = 10;

export function trailOf(
  intentId: string,
  side: Side,
  { distance, step = new Decimal(distance).div(stepsInDistance).toNumber(), activateAt }: Trail,
): TrailRecord {
  return { intentId, side, distance, step, activateAt: activateAt ?? null };
}

/** The price at which a position of this side would be closed. */
export function exitPrice(side: Side, { bid, ask }: Quote): number {
  return side === 'buy' ? bid : ask;
}

/** The better one of two prices of a position. */
export function better(side: Side, one: number, other: number): number {
  return side === 'buy' ? Math.max(one, other) : Math.min(one, other);
}

/** Whether a stop-loss is nearer to the price than another one; 0 is none. */
export function isCloser(side: Side, stop: Decimal.Value, than: number): boolean {
  return than === 0 || gain(side, than, stop).gt(0);
}

/**
 * Where a trail moves the stop-loss of its position now; null if it stays. The stop-loss only ever moves towards the price,
 * by the step at least, and not nearer than the broker permits.
 */
export function nextStop(trail: TrailRecord, levels: Levels, { best, quote, terms }: TrailMarket): number | null {
  const { side, distance, step, activateAt } = trail;
  const price = exitPrice(side, quote);
  if (!mayMove(trail, levels, { best, price, terms })) return null;
  const { price_open: entry, sl, tp } = levels;
  if (activateAt !== null && gain(side, entry, best).lt(activateAt)) return null;
  if (isFrozen(price, sl, terms) || isFrozen(price, tp, terms)) return null;
  // After a wait the price may be beyond the stop-loss that is due: then the nearest permitted one closes the position soon.
  const room = Math.max(terms.stopsDistance, terms.tickSize);
  const stop = onGrid(side, Decimal.max(gain(side, best, price).plus(distance), room), price, terms);
  if (sl !== 0 && gain(side, sl, stop).lt(step)) return null;
  return stop.gt(0) ? stop.toNumber() : null;
}

/** Prices are read as decimals, and doubles are off by less than this part of them. */
const doubleError = 1e-14;

/**
 * False where {@link nextStop} is null for sure, without its decimals: with most quotes. Neither a lower best price nor a lower
 * price of a long position makes its stop-loss move.
 */
export function mayMove(
  { side, distance, step, activateAt }: TrailRecord,
  { price_open: entry, sl }: Levels,
  { best, price, terms }: { readonly best: number; readonly price: number; readonly terms: StopTerms },
): boolean {
  const sign = side === 'buy' ? 1 : -1;
  const slack = Math.max(terms.tickSize / 1_000, Math.abs(price) * doubleError);
  if (activateAt !== null && sign * (best - entry) < activateAt - slack) return false;
  if (sl === 0) return true;
  const room = Math.max(terms.stopsDistance, terms.tickSize);
  const highestGain = Math.min(sign * best - distance, sign * price - room) - sign * sl;
  return highestGain >= step - slack;
}

/** How much a long position gains from one price to another; a short one loses as much. */
function gain(side: Side, from: Decimal.Value, to: Decimal.Value): Decimal {
  return side === 'buy' ? new Decimal(to).minus(from) : new Decimal(from).minus(to);
}

/** Whether the broker changes no levels because the price is near this one. */
function isFrozen(price: number, level: number, { freezeDistance }: StopTerms): boolean {
  return freezeDistance > 0 && level !== 0 && new Decimal(price).minus(level).abs().lte(freezeDistance);
}

/** The price at this distance behind the market, on the grid and not nearer. */
function onGrid(side: Side, distance: Decimal, price: number, { tickSize, digits }: StopTerms): Decimal {
  const stop = side === 'buy' ? new Decimal(price).minus(distance) : new Decimal(price).plus(distance);
  const rounding = side === 'buy' ? Decimal.ROUND_FLOOR : Decimal.ROUND_CEIL;
  return stop.div(tickSize).toDecimalPlaces(0, rounding).mul(tickSize).toDecimalPlaces(digits, rounding);
}
