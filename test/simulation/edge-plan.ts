import { ask, occurrences, several, slowLink, type CombinedDisturbance } from './combined-disturbances';
import { crashOf, minuteMs } from './disturbances';
import type { SeededRandom } from './seeded-random';
import type { Start } from './starts';
import type { Action, MarginMode, TimedAction } from './steps';

/** Requests that meet a rule at its edge: a used key, a void that is being written, a release, the end of a day. */
const around: Readonly<Record<string, CombinedDisturbance>> = {
  'other bodies': { share: 0.5, betweenMs: [5_000, minuteMs], make: otherBody },
  'voids in writing': { share: 0.4, betweenMs: [20_000, 2 * minuteMs], make: voidInWriting },
  releases: { share: 0.4, betweenMs: [minuteMs, 5 * minuteMs], make: releaseUnderRequests },
  'rival reductions': { share: 0.5, betweenMs: [10_000, 2 * minuteMs], make: rivalReductions },
};

/** What happens at the edges of rules in a run of so many milliseconds, in some of the seeds. */
export function edgeActions(
  random: SeededRandom,
  lengthMs: number,
  pace: number,
  start: Start = 'usual',
): TimedAction[] {
  const actions = Object.entries(around).flatMap(([name, one]) => {
    const own = random.fork(name);
    return own.chance(one.share) ? occurrences(one, own, lengthMs, pace) : [];
  });
  return start === 'end of a day' ? [...actions, ...endOfDay(random.fork(start))] : actions;
}

/** Positions are opened and closed until the server's day ends, two minutes after a run is ready; entries come before and after it. */
function endOfDay(own: SeededRandom): TimedAction[] {
  return [
    ...several(own, 15, 0, 80_000, () => ask(own, 'open')),
    ...several(own, 12, 4_000, 80_000, () => ask(own, 'close')),
    ...several(own, 6, 90_000, 90_000, () => ask(own, 'open')),
  ];
}

/**
 * Limits that a run reaches: the loss of a day while the server's day ends, and few lots on a netting account, on which it
 * matters what an order takes off the position.
 */
export function edgeSettings(
  random: SeededRandom,
  { start, marginMode }: { readonly start: Start | undefined; readonly marginMode: MarginMode | undefined },
): Record<string, string> {
  return {
    ...(start === 'end of a day' && random.chance(0.7) ? { MAX_DAILY_LOSS: random.pick(['1', '3', '25']) } : {}),
    ...(marginMode === 'netting' && random.chance(0.5) ? { MAX_OPEN_VOLUME: '0.15' } : {}),
  };
}

/** A key is used again with another level or volume: soon after its request, or while that is under way on a slow road. */
function otherBody(own: SeededRandom, atMs: number): TimedAction[] {
  return [
    ...(own.chance(0.3) ? [{ atMs, action: slowLink(own) }] : []),
    ...several(own, own.integer(1, 2), atMs, 1_000, () =>
      ask(own, own.pick(['open', 'open', 'pending', 'levels', 'close_partial'])),
    ),
    ...several(own, own.integer(1, 4), atMs, own.pick([1_000, 20_000]), () => ({
      ...{ kind: 'repeat', which: own.next() },
      other: own.pick(['level', 'volume']),
    })),
  ];
}

/** Requests arrive while the voids of their keys are being written to a slow disk. */
function voidInWriting(own: SeededRandom, atMs: number): TimedAction[] {
  return [
    { atMs, action: { kind: 'disk', disk: 'state', fault: 'slow', ms: own.integer(3_000, 15_000) } },
    ...several(own, own.integer(1, 4), atMs, 3_000, () => ({
      ...ask(own, own.pick(['open', 'open', 'pending', 'close'])),
      temper: 'crossing',
    })),
  ];
}

/** Trading is halted, sometimes while the switch cannot be written, and released while requests come; the gateway may restart. */
function releaseUnderRequests(own: SeededRandom, atMs: number): TimedAction[] {
  const releaseMs = atMs + own.integer(500, 20_000);
  const restartMs = releaseMs + own.integer(100, 5_000);
  const restart: Action = { kind: 'kill', downMs: own.integer(100, 3_000), crash: crashOf(own) };
  const requests = (fromMs: number): TimedAction[] =>
    several(own, own.integer(1, 3), fromMs, 10_000, () =>
      ask(own, own.pick(['open', 'pending', 'close', 'levels', 'modify_order'])),
    );
  return [
    ...(own.chance(0.4) ? [{ atMs: atMs - 1, action: brokenSwitchDisk(own, releaseMs - atMs) }] : []),
    { atMs, action: { kind: 'halt', flatten: own.chance(0.3) } },
    ...requests(atMs),
    { atMs: releaseMs, action: { kind: 'release' } },
    ...(own.chance(0.5) ? [{ atMs: restartMs, action: restart }] : []),
    ...requests(restartMs),
  ];
}

function brokenSwitchDisk(own: SeededRandom, haltMs: number): Action {
  return {
    kind: 'disk',
    disk: 'log',
    fault: own.pick(['read-only', 'failing sync']),
    ms: own.integer(500, 2 * haltMs),
  };
}

/** Entries and exits of both sides are under way at once, so that each may take what the other counts on. */
function rivalReductions(own: SeededRandom, atMs: number): TimedAction[] {
  return [
    ...(own.chance(0.7) ? [{ atMs, action: slowLink(own) }] : []),
    ...several(own, own.integer(2, 4), atMs, 500, () => ask(own, 'open')),
    ...several(own, own.integer(0, 2), atMs, 500, () => ask(own, own.pick(['close', 'close_partial']))),
    ...several(own, own.integer(1, 4), atMs + 500, 2_000, () => ask(own, 'open')),
  ];
}
