import type { Disturbance } from '../disturbances';
import { minuteMs } from '../disturbances';
import type { SeededRandom } from '../seeded-random';
import { appliedChanges, type DaemonAction, type DatabaseAction, type FleetOrder } from './whole-steps';

const troubles = ['lose-request', 'late', 'lose-answer'] as const;

/** An outage shorter than a lease, or so long that others take over. */
const outageMs = (own: SeededRandom): number => own.integer(100, own.chance(0.5) ? 60_000 : 6_000);

/** What befalls one host of a fleet besides what befalls a daemon alone. */
export const hostDisturbances: Readonly<Record<string, Disturbance<DaemonAction>>> = {
  stops: {
    share: 0.6,
    everyMs: [2 * minuteMs, 5 * minuteMs],
    make: (own) => ({ kind: 'stop', downMs: own.integer(100, 60_000) }),
  },
  isolations: {
    share: 0.4,
    everyMs: [2 * minuteMs, 5 * minuteMs],
    make: (own) => ({ kind: 'isolation', ms: outageMs(own), silent: own.chance(0.5) }),
  },
  'pauses longer than a lease': {
    share: 0.5,
    everyMs: [2 * minuteMs, 6 * minuteMs],
    make: (own) => ({ kind: 'pause', ms: own.integer(3_000, 40_000) }),
  },
};

/** What befalls the way of one host to the database. */
export const databaseWayDisturbances: Readonly<Record<string, Disturbance<DatabaseAction>>> = {
  'database cuts': {
    share: 0.6,
    everyMs: [minuteMs, 4 * minuteMs],
    make: (own) => ({ kind: 'database cut', ms: outageMs(own), silent: own.chance(0.6) }),
  },
  'slow database': {
    share: 0.5,
    everyMs: [minuteMs, 4 * minuteMs],
    make: (own) => ({ kind: 'database slow', ms: own.integer(1_000, 30_000), delayMs: own.integer(50, 1_500) }),
  },
  'database troubles': {
    share: 0.7,
    everyMs: [10_000, minuteMs],
    make: (own) => ({ kind: 'database trouble', trouble: own.pick(troubles) }),
  },
};

/** What befalls the database for all hosts. */
export const databaseDisturbances: Readonly<Record<string, Disturbance<DatabaseAction>>> = {
  'database outages': {
    share: 0.4,
    everyMs: [2 * minuteMs, 5 * minuteMs],
    make: (own) => ({ kind: 'database cut', ms: outageMs(own), silent: own.chance(0.5) }),
  },
  'server clock': {
    share: 0.4,
    everyMs: [minuteMs, 4 * minuteMs],
    make: (own) => ({ kind: 'server clock', byMs: own.integer(-40_000, 40_000) }),
  },
};

/** What the operator of a fleet does. @param hosts how many there are */
export function fleetOrders(hosts: number): Readonly<Record<string, Disturbance<FleetOrder>>> {
  const host = (own: SeededRandom): number => own.integer(0, hosts - 1);
  return {
    moves: {
      share: 0.6,
      everyMs: [30_000, 2 * minuteMs],
      make: (own) => ({ kind: 'move', which: own.next(), host: host(own) }),
    },
    drains: {
      share: 0.5,
      everyMs: [minuteMs, 3 * minuteMs],
      make: (own) => ({ kind: 'drain', host: host(own), undo: own.chance(0.4) }),
    },
    'applied configurations': {
      share: 0.8,
      everyMs: [minuteMs, 2 * minuteMs],
      make: (own) => ({
        ...{ kind: 'apply', change: own.pick(appliedChanges), which: own.next() },
        refusedBy: own.chance(0.4) ? host(own) : null,
        refusedMs: own.integer(1_000, 90_000),
      }),
    },
  };
}
