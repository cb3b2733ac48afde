import type { Disturbance } from '../disturbances';
import { minuteMs } from '../disturbances';
import type { SeededRandom } from '../seeded-random';
import type { DaemonAction, DatabaseAction } from './whole-steps';

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
