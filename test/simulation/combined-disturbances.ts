import { clockSet, crashOf, habitual, lasting, minuteMs } from './disturbances';
import { sendTroubles } from './link-weather';
import type { SeededRandom } from './seeded-random';
import type { Action, AskStep, TimedAction } from './steps';

export interface CombinedDisturbance {
  /** In how many seeds it occurs. */
  readonly share: number;
  /** How often then: the least and the most between two, in milliseconds. */
  readonly betweenMs: readonly [number, number];
  readonly make: (own: SeededRandom, atMs: number) => TimedAction[];
}

const usual = { share: 0.3, betweenMs: [minuteMs, 5 * minuteMs] } as const;

/** What takes several steps together: requests of clients, and faults of the gateway while it handles them. */
export const combinedDisturbances: Readonly<Record<string, CombinedDisturbance>> = {
  'broken disks': { share: 0.6, betweenMs: [minuteMs, 8 * minuteMs], make: brokenDisk },
  bursts: { ...usual, make: burst },
  rivals: { share: 0.4, betweenMs: [20_000, 2 * minuteMs], make: rivals },
  'alike orders': { ...usual, make: alikeOrders },
  'clocks set by days': { ...usual, share: 0.2, make: clockSetByDays },
  'a lost journal': { share: 0.2, betweenMs: [4 * minuteMs, 10 * minuteMs], make: lostJournal },
  withdrawals: { ...usual, make: withdrawals },
  'another account': { ...usual, make: otherAccount },
  'habits together': { ...usual, make: habitsTogether },
};

/** All faults of one kind in a run of so many milliseconds, so many times more rarely than usual. */
export function occurrences(
  { betweenMs, make }: CombinedDisturbance,
  own: SeededRandom,
  lengthMs: number,
  pace: number,
): TimedAction[] {
  const actions: TimedAction[] = [];
  const [leastMs, mostMs] = betweenMs.map((ms) => ms * pace) as [number, number];
  for (let atMs = own.integer(5_000, mostMs); atMs < lengthMs; atMs += own.integer(leastMs, mostMs)) {
    actions.push(...make(own, atMs));
  }
  return actions;
}

/**
 * A disk fails, and while it does exits are made, and the gateway is killed or an operator halts trading: what is in memory
 * alone is at stake. Later the requests are repeated.
 */
function brokenDisk(own: SeededRandom, atMs: number): TimedAction[] {
  const ms = own.integer(5_000, 60_000);
  const fault = own.pick(['full', 'read-only', 'failing sync'] as const);
  const disk = own.pick(['state', 'log'] as const);
  const kill = { kind: 'kill', downMs: own.integer(100, 10_000), crash: crashOf(own) } as const;
  const action: Action = own.chance(disk === 'state' ? 0.8 : 0.3) ? kill : { kind: 'halt', flatten: false };
  const turnMs = own.integer(500, ms);
  const exits = own.integer(0, 4);
  return [
    { atMs, action: { kind: 'disk', disk, fault, ms } },
    ...several(own, exits, atMs, ms, () => ask(own, own.pick(['close', 'close_partial', 'levels', 'cancel']))),
    { atMs: atMs + turnMs, action },
    ...several(own, exits, atMs + turnMs, minuteMs, () => ({ kind: 'repeat', which: own.next() })),
  ];
}

/** Many entries come at once while sends are slow; the gateway may be killed, and as many come after its restart. */
function burst(own: SeededRandom, atMs: number): TimedAction[] {
  const count = own.integer(4, 14);
  const entries = (fromMs: number): TimedAction[] =>
    several(own, count, fromMs, 5_000, () => ask(own, own.chance(0.8) ? 'open' : 'pending'));
  const killMs = atMs + own.integer(500, 15_000);
  const downMs = own.integer(100, 5_000);
  const kill: Action = { kind: 'kill', downMs, crash: crashOf(own) };
  return [
    ...(own.chance(0.5) ? [{ atMs, action: slowLink(own) }] : []),
    ...(own.chance(0.5) ? troubles(own, atMs, own.integer(1, 6)) : []),
    ...entries(atMs),
    ...(own.chance(0.6)
      ? [{ atMs: killMs, action: kill }, ...entries(killMs + downMs + own.integer(500, 10_000))]
      : []),
  ];
}

const rivalKinds = [
  ...[['levels'], ['levels'], ['modify_order'], ['levels', 'close']],
  ...[['close_partial'], ['close_partial', 'close']],
] as const satisfies readonly (readonly AskStep['ask'][])[];

/** Several requests about the same position or order come at almost the same time, and what becomes of one is not known. */
function rivals(own: SeededRandom, atMs: number): TimedAction[] {
  const kinds = own.pick(rivalKinds);
  const which = own.next();
  const withinMs = own.pick([1, 100, 3_000]);
  return [
    ...(own.chance(0.9) ? troubles(own, atMs, own.integer(1, 2)) : []),
    ...several(own, own.integer(2, 3), atMs, withinMs, () => ({ ...ask(own, own.pick(kinds)), which })),
  ];
}

/** Orders that differ in nothing but their keys come at almost the same time, and some of them get lost. */
function alikeOrders(own: SeededRandom, atMs: number): TimedAction[] {
  return [
    ...troubles(own, atMs, own.integer(1, 2)),
    ...several(own, own.integer(2, 3), atMs, own.pick([1, 1_000]), () => ({ ...ask(own, 'open'), alike: true })),
  ];
}

/** The wall clock is set by days, and requests of before are repeated. */
function clockSetByDays(own: SeededRandom, atMs: number): TimedAction[] {
  return [
    { atMs, action: ask(own, 'open') },
    { atMs: atMs + own.integer(100, 10_000), action: clockSet(own, true) },
    ...several(own, 4, atMs + 10_000, 3 * minuteMs, () => ({ kind: 'repeat', which: own.next() })),
  ];
}

/** An answer gets lost, then the journal; before an operator accepts the new one, requests of before are repeated. */
function lostJournal(own: SeededRandom, atMs: number): TimedAction[] {
  const acceptedAfterMs = own.integer(10_000, 120_000);
  const downMs = own.integer(100, 5_000);
  const loseMs = atMs + own.integer(500, 10_000);
  return [
    ...troubles(own, atMs, 1),
    ...several(own, 3, atMs, 2_000, () => ask(own, 'open')),
    { atMs: loseMs, action: { kind: 'lose journal', downMs, acceptedAfterMs } },
    ...several(own, 4, loseMs + downMs, acceptedAfterMs, () => ({ kind: 'repeat', which: own.next() })),
  ];
}

/** Clients withdraw requests that are under way on slow roads. */
function withdrawals(own: SeededRandom, atMs: number): TimedAction[] {
  const withdrawn = (): Action => ({
    ...ask(own, own.pick(['open', 'open', 'pending', 'close'])),
    temper: 'withdrawing',
  });
  return [
    { atMs, action: slowLink(own) },
    ...several(own, own.integer(0, 3), atMs, 1, () => ({ kind: 'http trouble', trouble: 'slow-request' })),
    ...several(own, own.integer(2, 5), atMs, 5_000, withdrawn),
  ];
}

/** Requests come while the terminal changes to another account, and requests that are meant for another account. */
function otherAccount(own: SeededRandom, atMs: number): TimedAction[] {
  const ms = own.integer(1_000, minuteMs);
  return [
    ...several(own, own.integer(2, 5), atMs - 5_000, 5_000, () => ask(own, 'open')),
    { atMs, action: lasting(own, { kind: 'other-account', login: 900_001 }) },
    ...several(own, own.integer(3, 10), atMs, ms, () => ask(own, own.pick(['open', 'close', 'levels']))),
    ...several(own, own.integer(0, 3), atMs, 2 * ms, () => ({ ...ask(own, 'open'), stray: true })),
  ];
}

/** A broker has several habits at once, and answers get lost. */
function habitsTogether(own: SeededRandom, atMs: number): TimedAction[] {
  return [
    ...several(own, own.integer(2, 5), atMs, 10_000, () => habitual(own)),
    ...troubles(own, atMs + 10_000, own.integer(1, 3)),
    ...several(own, own.integer(2, 5), atMs + 10_000, 20_000, () =>
      ask(own, own.pick(['open', 'pending', 'close', 'close_partial', 'levels', 'modify_order', 'cancel'])),
    ),
  ];
}

/** A request of a client that pursues it to the end. */
export function ask(own: SeededRandom, kind: AskStep['ask']): AskStep {
  return {
    kind: 'ask',
    ask: kind,
    temper: own.pick(['patient', 'patient', 'asking']),
    which: own.next(),
    alike: false,
  };
}

/** Actions within a time, each at an instant of its own. */
export function several(
  own: SeededRandom,
  count: number,
  fromMs: number,
  withinMs: number,
  make: () => Action,
): TimedAction[] {
  return Array.from({ length: count }, () => ({
    atMs: Math.max(0, fromMs) + own.integer(0, withinMs),
    action: make(),
  }));
}

/** Faults of the next sends: they get lost on the way, or the broker's answer does not say what it did. */
export function troubles(own: SeededRandom, atMs: number, count: number): TimedAction[] {
  return several(own, count, atMs, 0, () =>
    own.chance(0.5)
      ? lasting(own, { kind: 'retcode', retcode: own.pick([10011, 10012, 10031]), acts: own.chance(0.7), times: 1 })
      : { kind: 'send trouble', trouble: own.pick(sendTroubles) },
  );
}

export function slowLink(own: SeededRandom): Action {
  return { kind: 'slow link', meanMs: own.integer(50, 1_500), ms: own.integer(5_000, minuteMs) };
}
