import type { Crash } from '@libs/simulated-disk';
import type { Fault } from '@libs/simulator';
import { httpTroubles } from './http-path';
import { sendTroubles } from './link-weather';
import type { SeededRandom } from './seeded-random';
import type { Action, FaultStep } from './steps';

/** A kind of trouble, made from a seed. */
export interface Disturbance<A> {
  /** In how many seeds it occurs. */
  readonly share: number;
  /** How often then: one of these means, in milliseconds. */
  readonly everyMs: readonly number[];
  readonly make: (own: SeededRandom) => A;
}

export const minuteMs = 60_000;

export const crashOf = (own: SeededRandom): Crash => (own.chance(0.3) ? 'power' : 'process');

const ports = ['link orderSend', 'link orderSend', 'store write', 'store write', 'file', 'link'] as const;

/** Faults of the gateway and its surroundings, each alone. */
export const disturbances: Readonly<Record<string, Disturbance<Action>>> = {
  kills: {
    share: 0.5,
    everyMs: [30_000, 2 * minuteMs, 5 * minuteMs],
    make: (own) => ({ kind: 'kill', downMs: own.integer(100, 20_000), crash: crashOf(own) }),
  },
  'kills at a port': {
    share: 0.7,
    everyMs: [20_000, minuteMs, 4 * minuteMs],
    make: (own) => ({
      kind: 'kill at',
      order: { port: own.pick(ports), skip: own.integer(0, 12), moment: own.pick(['before', 'during', 'after']) },
      downMs: own.integer(100, 20_000),
      crash: crashOf(own),
    }),
  },
  pauses: {
    share: 0.3,
    everyMs: [minuteMs, 5 * minuteMs],
    make: (own) => ({ kind: 'pause', ms: own.integer(100, own.chance(0.2) ? 100_000 : 10_000) }),
  },
  'wall clock': {
    share: 0.3,
    everyMs: [3 * minuteMs, 10 * minuteMs],
    make: (own) => clockSet(own, own.chance(0.4)),
  },
  'server clocks': {
    share: 0.3,
    everyMs: [4 * minuteMs, 12 * minuteMs],
    make: serverClockSet,
  },
  cuts: {
    share: 0.5,
    everyMs: [20_000, 2 * minuteMs, 5 * minuteMs],
    make: (own) => ({ kind: 'cut', outageMs: own.chance(0.5) ? 0 : own.integer(1, 90_000) }),
  },
  'slow link': {
    share: 0.3,
    everyMs: [3 * minuteMs],
    make: (own) => ({ kind: 'slow link', meanMs: own.integer(20, 1_500), ms: own.integer(5_000, 120_000) }),
  },
  freezes: {
    share: 0.3,
    everyMs: [2 * minuteMs, 6 * minuteMs],
    make: (own) => ({ kind: 'freeze', ms: own.chance(0.3) ? 100_000 : own.integer(100, 30_000) }),
  },
  'send troubles': {
    share: 0.7,
    everyMs: [10_000, 40_000, 3 * minuteMs],
    make: (own) => ({ kind: 'send trouble', trouble: own.pick(sendTroubles) }),
  },
  'http troubles': {
    share: 0.6,
    everyMs: [10_000, minuteMs],
    make: (own) => ({ kind: 'http trouble', trouble: own.pick(httpTroubles) }),
  },
  'broker faults': {
    share: 0.7,
    everyMs: [20_000, 90_000, 4 * minuteMs],
    make: (own) => own.pick(brokerFaults)(own),
  },
  habits: {
    share: 0.4,
    everyMs: [2 * minuteMs, 5 * minuteMs],
    make: habitual,
  },
  disk: {
    share: 0.4,
    everyMs: [2 * minuteMs, 6 * minuteMs],
    make: (own) => ({
      kind: 'disk',
      disk: own.pick(['state', 'log']),
      fault: own.pick(['full', 'read-only', 'slow', 'failing sync']),
      ms: own.integer(1_000, 90_000),
    }),
  },
  'a lost journal': {
    share: 0.3,
    everyMs: [8 * minuteMs],
    make: (own) => ({
      kind: 'lose journal',
      downMs: own.integer(100, 5_000),
      acceptedAfterMs: own.integer(10_000, 120_000),
    }),
  },
  halts: {
    share: 0.4,
    everyMs: [2 * minuteMs, 5 * minuteMs],
    make: (own) => ({ kind: 'halt', flatten: own.chance(0.3) }),
  },
  'halts by hand': { share: 0.2, everyMs: [4 * minuteMs], make: () => ({ kind: 'touch switch' }) },
  'halts at a port': {
    share: 0.4,
    everyMs: [minuteMs, 3 * minuteMs],
    make: (own) => ({
      kind: 'touch switch at',
      port: own.pick(['link orderCheck', 'store write the trade journal']),
      skip: own.integer(0, 4),
    }),
  },
  releases: {
    share: 1,
    everyMs: [30_000, 90_000],
    make: (own) => ({ kind: own.chance(0.8) ? 'release' : 'remove switch' }),
  },
  rotations: { share: 0.2, everyMs: [5 * minuteMs], make: () => ({ kind: 'rotate audit log' }) },
};

/** The wall clock is set by seconds, or by hours and days too. */
export function clockSet(own: SeededRandom, byDays: boolean): Action {
  const hours = byDays ? own.pick([-72, -24, -5, -1, 1, 24, 48, 2_880]) : 0;
  return { kind: 'wall clock', byMs: own.integer(-60_000, 60_000) + hours * 3_600_000 };
}

/** The clock of the broker's server is set by seconds, minutes or hours, and back again after a while. */
function serverClockSet(own: SeededRandom): BrokerStep {
  const seconds = own.pick([own.integer(-90, 90), own.integer(-1_800, 1_800), own.pick([-5, -1, 1, 5]) * 3_600]);
  return { kind: 'broker', fault: { kind: 'clock-offset', seconds }, ms: own.integer(10_000, 20 * minuteMs) };
}

type BrokerStep = Extract<FaultStep, { readonly kind: 'broker' }>;

const times = (own: SeededRandom): number => own.integer(1, 3);

/** The longest of them lack the order too. */
function zeroAcknowledgement(own: SeededRandom): BrokerStep {
  const affected = times(own);
  return lasting(own, { kind: 'zero-ack', bare: affected === 3, times: affected });
}

const brokerFaults: readonly ((own: SeededRandom) => BrokerStep)[] = [
  // Done or not, the answer does not say.
  (own) => retcodes(own, own.pick([10011, 10012, 10012, 10031]), own.chance(0.7)),
  (own) => retcodes(own, 10012, true),
  (own) => retcodes(own, own.pick([10008, 10010]), true),
  (own) => retcodes(own, own.pick([10004, 10006, 10018, 10020, 10021]), false),
  (own) => retcodes(own, 10030, false),
  (own) => lasting(own, { kind: 'slippage', points: own.integer(1, 50), times: times(own) }),
  (own) => zeroAcknowledgement(own),
  (own) => lasting(own, { kind: 'lag', ms: own.integer(100, 20_000) }),
  (own) => lasting(own, { kind: 'frozen-quotes' }),
  (own) => lasting(own, { kind: 'failed-reads', times: own.integer(1, 10) }),
  (own) => lasting(own, { kind: 'disconnected' }),
  (own) => lasting(own, { kind: 'logged-out' }),
  (own) => lasting(own, { kind: 'login-refused' }),
  (own) => lasting(own, { kind: 'other-account', login: 900_001 }),
  (own) => lasting(own, { kind: 'trading-off', by: own.pick(['terminal', 'server', 'account', 'api']) }),
];

function retcodes(own: SeededRandom, retcode: number, acts: boolean): BrokerStep {
  return lasting(own, { kind: 'retcode', retcode, acts, times: times(own) });
}

/**
 * What terminals and brokers make of the account. A list that is late shows within less than the minute after which absence is
 * proven: a gateway cannot know of longer.
 */
const habits: readonly ((own: SeededRandom) => Fault)[] = [
  (own) => ({ kind: 'server-lost', acts: own.chance(0.5) }),
  (own) => ({ kind: 'lists-not-loaded', shows: own.pick(['empty', 'half']), untilSession: own.chance(0.3) }),
  (own) => ({ kind: 'lists-not-loaded', shows: own.pick(['empty', 'half']), lists: ['positions'] }),
  (own) => ({ kind: 'session-start', shows: own.pick(['empty', 'parts']), ms: own.integer(1_000, 240_000) }),
  (own) => ({ kind: 'session-start', shows: 'old', ms: own.integer(1_000, 30_000) }),
  (own) => late(own),
  (own) => ({ kind: 'history-lacks', what: own.pick(['orders', 'deals', 'all']) }),
  (own) => ({ kind: 'history-gap', seconds: own.integer(10, 600) }),
  (own) => ({ kind: 'comments', to: own.pick(['cut', 'empty', 'broker']) }),
  (own) => ({ kind: 'trade-clock', seconds: own.integer(-5, 0) }),
  (own) => ({ kind: 'reasons', reason: own.integer(0, 2) }),
  (own) => ({ kind: 'magic-zero', fills: own.chance(0.5) }),
  (own) => ({ kind: 'levels', points: own.integer(2, 30), moved: own.chance(0.5) }),
  () => ({ kind: 'replaced-orders' }),
  () => ({ kind: 'float-noise' }),
  () => ({ kind: 'rows-twice' }),
  () => ({ kind: 'rows-reversed' }),
  (own) => ({ kind: 'flickering-lists', shows: own.pick(['empty', 'half']), every: own.integer(2, 5) }),
  (own) => ({ kind: 'late-costs', ms: own.integer(1_000, 30_000) }),
  (own) => ({ kind: 'late-position-ids', ms: own.integer(1_000, 30_000) }),
  (own) => ({ kind: 'late-profits', ms: own.integer(500, 10_000) }),
  (own) => ({ kind: 'late-symbols', ms: own.integer(1_000, 60_000) }),
  (own) => ({ kind: 'late-balance', ms: own.integer(500, 30_000) }),
  (own) => ({ kind: 'passing-rows', ms: own.integer(500, 60_000) }),
];

/** Each list by its own time, some of them at once. */
function late(own: SeededRandom): Fault {
  const lateMs = (): number => own.delayMs(3_000, 30_000);
  return {
    kind: 'late-lists',
    positionsMs: lateMs(),
    ordersMs: lateMs(),
    historyOrdersMs: lateMs(),
    dealsMs: lateMs(),
    sums: own.chance(0.5),
  };
}

/** They last longer than the proofs that they could fool: some for more than five minutes. */
export function habitual(own: SeededRandom): BrokerStep {
  const fault = own.pick(habits)(own);
  return { kind: 'broker', fault, ms: own.integer(1_000, own.pick([30_000, 30_000, 120_000, 400_000])) };
}

export function lasting(own: SeededRandom, fault: Fault): BrokerStep {
  return { kind: 'broker', fault, ms: own.integer(1_000, 60_000) };
}
