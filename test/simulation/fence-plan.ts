import { ask, occurrences, several, slowLink, type CombinedDisturbance } from './combined-disturbances';
import { crashOf, minuteMs } from './disturbances';
import type { SeededRandom } from './seeded-random';
import type { Action, AskStep, FencedAsk, FenceName, FenceStep, TimedAction } from './steps';

/** In how many seeds strategies have leases. */
const share = 0.35;

const names = ['trend', 'range'] as const satisfies FenceName[];

const around: Readonly<Record<string, CombinedDisturbance>> = {
  takeovers: { share: 0.8, betweenMs: [20_000, 3 * minuteMs], make: takeover },
  'paused holders': { share: 0.7, betweenMs: [minuteMs, 5 * minuteMs], make: pausedHolder },
  'requests of strategies': { share: 1, betweenMs: [1_000, 20_000], make: (own, atMs) => [fencedAsk(own, atMs)] },
  'readings of fences': {
    share: 1,
    betweenMs: [5_000, 40_000],
    make: (_own, atMs) => [{ atMs, action: { kind: 'read', url: '/fences' } }],
  },
};

/**
 * What strategies with leases do in a run of so many milliseconds, in some of the seeds. It is drawn from numbers of its
 * own, so that it does not change what else a seed does.
 */
export function fencedActions(random: SeededRandom, lengthMs: number, pace: number): TimedAction[] {
  if (!random.chance(share)) return [];
  const first = names.map((fence) => ({ atMs: random.integer(100, 5_000), action: raise(random, fence) }));
  const others = Object.entries(around).flatMap(([name, one]) => {
    const own = random.fork(name);
    return own.chance(one.share) ? occurrences(one, own, lengthMs, pace) : [];
  });
  return [...first, ...others];
}

/** A new holder raises its fence while requests of the one before are on their way, and the one before goes on. */
function takeover(own: SeededRandom, atMs: number): TimedAction[] {
  const fence = own.pick(names);
  const before = { name: fence, behind: 0, shared: own.chance(0.3) };
  const after = { ...before, behind: 1 };
  const withinMs = own.pick([500, 3_000]);
  const raiseMs = atMs + own.integer(0, withinMs);
  const slow = own.weighted({ link: 1, disk: 1, none: 1 });
  return [
    ...(slow === 'link' ? [{ atMs, action: slowLink(own) }] : []),
    // The checks of a request are a while apart then.
    ...(slow === 'disk' ? [{ atMs: atMs - 1, action: slowDisk(own) }] : []),
    ...several(own, own.integer(1, 4), atMs, withinMs, () => fenced(own, before)),
    { atMs: raiseMs, action: raise(own, fence) },
    ...several(own, own.integer(1, 3), raiseMs, 10_000, () => fenced(own, after)),
    ...several(own, own.integer(0, 2), raiseMs, 10_000, () => fenced(own, before)),
  ];
}

function slowDisk(own: SeededRandom): Action {
  return { kind: 'disk', disk: own.pick(['state', 'log']), fault: 'slow', ms: own.integer(5_000, 20_000) };
}

/** The gateway is killed after a raise, and a holder of an earlier lease, and clients without one, come back. */
function pausedHolder(own: SeededRandom, atMs: number): TimedAction[] {
  const fence = own.pick(names);
  const killMs = atMs + own.integer(10, 5_000);
  const downMs = own.integer(100, 10_000);
  const backMs = killMs + downMs;
  const behind = own.integer(1, 3);
  return [
    { atMs, action: raise(own, fence) },
    { atMs: killMs, action: { kind: 'kill', downMs, crash: crashOf(own) } },
    { atMs: backMs + own.integer(0, 20_000), action: { kind: 'raise an older fence', fence, behind } },
    ...several(own, 3, backMs, 30_000, () =>
      fenced(own, { name: fence, behind: own.pick([0, behind, null]), shared: false }),
    ),
  ];
}

function fencedAsk(own: SeededRandom, atMs: number): TimedAction {
  const behind = Number(own.weighted({ '0': 8, '1': 2, '2': 1, '-1': 0.3 }));
  const who = { name: own.pick(names), behind: own.chance(0.1) ? null : behind, shared: own.chance(0.2) };
  return { atMs, action: fenced(own, who) };
}

function fenced(own: SeededRandom, fence: FencedAsk): AskStep {
  const kinds = ['open', 'open', 'pending', 'close', 'close_partial', 'levels', 'modify_order', 'cancel'] as const;
  return { ...ask(own, own.pick(kinds)), fence };
}

const ports = ['link orderCheck', 'link', 'store write the trade journal', 'file append', 'file datasync'] as const;

function raise(own: SeededRandom, fence: FenceName): FenceStep {
  const at = own.chance(0.4) ? { at: { port: own.pick(ports), skip: own.integer(0, 4) } } : {};
  return { kind: 'raise a fence', fence, shared: own.chance(0.2), ...at };
}
