import { ask, occurrences, several, slowLink, troubles, type CombinedDisturbance } from './combined-disturbances';
import { crashOf, lasting, minuteMs } from './disturbances';
import { eventsAgain } from './judging/event-watch';
import type { SeededRandom } from './seeded-random';
import type { Action, TimedAction } from './steps';

/** How positions and orders end: all at once, those of a kind, and by themselves. */
const exits: Readonly<Record<string, CombinedDisturbance>> = {
  flattenings: { share: 0.4, betweenMs: [minuteMs, 4 * minuteMs], make: flattening },
  'limited closes': { share: 0.4, betweenMs: [30_000, 3 * minuteMs], make: limitedCloses },
  expirations: { share: 0.4, betweenMs: [minuteMs, 4 * minuteMs], make: expirations },
};

/** What ends positions and orders in a run of so many milliseconds, in some of the seeds. */
export function exitActions(random: SeededRandom, lengthMs: number, pace: number): TimedAction[] {
  const again = occurrences(
    { betweenMs: [30_000, 2 * minuteMs], share: 1, make: readAgain },
    random.fork('events'),
    lengthMs,
    pace,
  );
  const ends = Object.entries(exits).flatMap(([name, one]) => {
    const own = random.fork(name);
    return own.chance(one.share) ? occurrences(one, own, lengthMs, pace) : [];
  });
  return [...ends, ...again];
}

/** A client reads events that it has read before. */
function readAgain(_own: SeededRandom, atMs: number): TimedAction[] {
  return [{ atMs, action: { kind: 'read', url: eventsAgain } }];
}

/** An operator flattens what has just been opened, while sends fail and answers get lost; clients close some of it as well. */
function flattening(own: SeededRandom, atMs: number): TimedAction[] {
  const flattenMs = atMs + own.integer(8_000, 20_000);
  const killMs = flattenMs + own.integer(0, 3_000);
  const kill: Action = { kind: 'kill', downMs: own.integer(100, 3_000), crash: crashOf(own) };
  return [
    ...entries(own, atMs),
    ...failures(own, flattenMs - 1),
    ...(own.chance(0.3) ? several(own, 2, flattenMs - 500, 1_000, () => ask(own, own.pick(['close', 'cancel']))) : []),
    { atMs: flattenMs, action: { kind: 'halt', flatten: true } },
    ...(own.chance(0.2) ? [{ atMs: killMs, action: kill }] : []),
    { atMs: flattenMs + own.integer(10_000, minuteMs), action: { kind: 'release' } },
  ];
}

/** Clients close all positions of a symbol, of a magic number or of a side, while sends fail and answers get lost. */
function limitedCloses(own: SeededRandom, atMs: number): TimedAction[] {
  const closeMs = atMs + own.integer(8_000, 20_000);
  return [
    ...entries(own, atMs),
    ...failures(own, closeMs - 1),
    ...several(own, own.integer(1, 3), closeMs, 3_000, () => ({
      ...ask(own, 'close_all'),
      only: own.pick(['symbol', 'magic', 'side']),
    })),
  ];
}

/** Pending orders expire while they are changed and cancelled. */
function expirations(own: SeededRandom, atMs: number): TimedAction[] {
  const endMs = own.integer(30_000, 4 * minuteMs);
  return [
    ...several(own, own.integer(1, 4), atMs, 5_000, () => ({ ...ask(own, 'pending'), expiresInMs: endMs })),
    ...several(own, own.integer(0, 2), atMs + 8_000, 20_000, () => ({
      ...ask(own, 'modify_order'),
      ...(own.chance(0.6) ? { expiresInMs: endMs + own.integer(-10_000, minuteMs) } : {}),
    })),
    ...several(own, own.integer(0, 3), atMs + endMs - 2_000, 8_000, () =>
      ask(own, own.pick(['cancel', 'modify_order', 'pending'])),
    ),
  ];
}

function entries(own: SeededRandom, atMs: number): TimedAction[] {
  return several(own, own.integer(2, 5), atMs, 5_000, () => ask(own, own.pick(['open', 'open', 'open', 'pending'])));
}

/** Some of the next sends are refused, get lost, or are slow. */
function failures(own: SeededRandom, atMs: number): TimedAction[] {
  const refusal = (): Action =>
    lasting(own, {
      ...{ kind: 'retcode', retcode: own.pick([10004, 10006, 10018, 10021]), acts: false },
      times: own.integer(1, 3),
    });
  return [
    ...(own.chance(0.4) ? [{ atMs, action: refusal() }] : []),
    ...(own.chance(0.4) ? troubles(own, atMs, own.integer(1, 2)) : []),
    ...(own.chance(0.3) ? [{ atMs, action: slowLink(own) }] : []),
  ];
}
