import { backoffMs, type Backoff } from '@libs/clock';
import type { Quote } from '@libs/strategy';
import type { OwnedTicket, TrailRecord } from './records';
import { better, exitPrice, type StopTerms, type TrailMarket } from './trail';

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
