import type { Disturbance } from '../disturbances';
import { crashOf, minuteMs } from '../disturbances';
import { reloadChanges, type DaemonAction, type WayAction } from './whole-steps';

/** The calls of the daemon at which it is killed most often. */
const ports = ['http POST', 'http POST', 'store write', 'store write', 'http', 'file'] as const;

/** Faults of the daemon, each alone. */
export const daemonDisturbances: Readonly<Record<string, Disturbance<DaemonAction>>> = {
  'daemon kills': {
    share: 0.5,
    everyMs: [minuteMs, 4 * minuteMs],
    make: (own) => ({ kind: 'kill', downMs: own.integer(100, 40_000), crash: crashOf(own) }),
  },
  'daemon kills at a port': {
    share: 0.7,
    everyMs: [30_000, 2 * minuteMs],
    make: (own) => ({
      kind: 'kill at',
      order: { port: own.pick(ports), skip: own.integer(0, 3), moment: own.pick(['before', 'during', 'after']) },
      downMs: own.integer(100, 40_000),
      crash: crashOf(own),
    }),
  },
  'daemon pauses': {
    share: 0.3,
    everyMs: [2 * minuteMs, 5 * minuteMs],
    make: (own) => ({ kind: 'pause', ms: own.integer(100, own.chance(0.3) ? 150_000 : 10_000) }),
  },
  'daemon wall clock': {
    share: 0.2,
    everyMs: [4 * minuteMs],
    make: (own) => ({
      kind: 'wall clock',
      byMs: own.integer(-60_000, 60_000) + (own.chance(0.3) ? own.pick([-2, 1, 40]) * 86_400_000 : 0),
    }),
  },
  'daemon disk': {
    share: 0.4,
    everyMs: [2 * minuteMs, 5 * minuteMs],
    make: (own) => ({
      kind: 'disk',
      fault: own.pick(['full', 'read-only', 'slow', 'failing sync']),
      ms: own.integer(1_000, 90_000),
    }),
  },
  'lost threads': {
    share: 0.3,
    everyMs: [minuteMs, 4 * minuteMs],
    make: (own) => ({ kind: 'lose thread', which: own.next() }),
  },
  reloads: {
    share: 0.4,
    everyMs: [minuteMs, 3 * minuteMs],
    make: (own) => ({ kind: 'reload', change: own.pick([...reloadChanges, 'bring back']), which: own.next() }),
  },
  resumes: { share: 0.5, everyMs: [minuteMs], make: (own) => ({ kind: 'resume', which: own.next() }) },
  flattens: { share: 0.4, everyMs: [2 * minuteMs], make: (own) => ({ kind: 'flatten', which: own.next() }) },
  settlements: { share: 0.5, everyMs: [2 * minuteMs], make: () => ({ kind: 'settle' }) },
};

/** Faults of the connection to a gateway. */
export const wayDisturbances: Readonly<Record<string, Disturbance<WayAction>>> = {
  outages: {
    share: 0.4,
    everyMs: [2 * minuteMs, 5 * minuteMs],
    make: (own) => ({
      kind: 'outage',
      ms: own.integer(100, own.chance(0.4) ? 200_000 : 20_000),
      silent: own.chance(0.5),
    }),
  },
  'stream cuts': { share: 0.4, everyMs: [minuteMs, 3 * minuteMs], make: () => ({ kind: 'cut streams' }) },
};
