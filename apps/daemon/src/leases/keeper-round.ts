import type { OpenLease } from '@libs/postgres';
import { isLeaving, runnableLease, type Errand, type KeeperSettings, type KeeperState } from './keeper-state';
import { reservedForOthers, reservedHere, sharesOf, type Departure, type Situation } from './placement';

/** How long a host that does not reach a gateway may hold a unit of it before it gives it back. */
const longestAttemptMs = 15_000;

type Choice = Extract<Errand, { kind: 'choose' }>;

/** What a host takes in a round, in this order. */
export function choicesOf(situation: Situation): readonly Choice[] {
  const choice = { kind: 'choose', share: null, isOverdue: false, isReserved: false } as const;
  const shares = sharesOf(situation);
  return [
    { ...choice, names: reservedHere(situation), isReserved: true },
    ...shares.map((share) => ({ ...choice, ...share })),
    // Each set of labels has shares of its own, so another host may be too full to take its share.
    { ...choice, names: shares.flatMap(({ names }) => names), isOverdue: true },
  ];
}

/** The statements of a choice; none if nothing is to be taken, or if there is no room. */
export function takingsOf(
  state: KeeperState,
  situation: Situation,
  { names, share, isOverdue, isReserved }: Choice,
  nowMs: number,
  { leaseMs, capacity }: KeeperSettings,
): readonly Errand[] {
  const { holdings, notBeforeMs, free } = state;
  const elsewhere = reservedForOthers(situation);
  const wanted = names.filter(
    (name) =>
      !holdings.has(name) &&
      !elsewhere.has(name) &&
      (notBeforeMs.get(name) ?? nowMs) <= nowMs &&
      (!isOverdue || nowMs - (free.get(name)?.sinceMs ?? nowMs) >= leaseMs),
  );
  const held = names.filter((name) => holdings.has(name)).length;
  const room = capacity - holdings.size;
  const limit = share === null ? room : Math.min(share - held, room);
  if (wanted.length === 0 || limit <= 0) return [];
  return [
    { kind: 'announce', names: wanted },
    { kind: 'take', names: wanted, limit, isReserved },
  ];
}

/** The unit that leaves next, when the one before it has a host; that is not waited for longer than a lease. */
export function nextDeparture(state: KeeperState, open: readonly OpenLease[], nowMs: number): Departure | undefined {
  const { holdings, departures, lastLeft } = state;
  if ([...holdings.values()].some(({ lease }) => isLeaving(lease))) return undefined;
  const isFree = open.some((lease) => lease.isFree && lease.name === lastLeft?.unit);
  if (lastLeft !== null && isFree && nowMs < lastLeft.untilMs) return undefined;
  return departures.find(({ unit, obstacle }) => obstacle === null && runnableLease(state, unit) !== null);
}

/** Since when units are free. One that a host takes and gives back, because it cannot run there, counts as free all the time. */
export function freeUnits(before: KeeperState['free'], open: readonly OpenLease[], nowMs: number): KeeperState['free'] {
  const lately = [...before].filter(([, { seenMs }]) => nowMs - seenMs < longestAttemptMs);
  const now = open
    .filter(({ isFree }) => isFree)
    .map(({ name }) => [name, { sinceMs: before.get(name)?.sinceMs ?? nowMs, seenMs: nowMs }] as const);
  return new Map([...lately, ...now]);
}
