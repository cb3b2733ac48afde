import { disturbances, type Disturbance } from '../disturbances';
import { chargesOf } from '../plan';
import { isIn, type Profile } from '../profiles';
import { SeededRandom } from '../seeded-random';
import { startOf } from '../starts';
import type { FaultStep, MarginMode, OperatorStep } from '../steps';
import { daemonDisturbances, wayDisturbances } from './daemon-disturbances';
import { databaseDisturbances, databaseWayDisturbances, fleetOrders, hostDisturbances } from './fleet-disturbances';
import type { FleetPlan, WholeAction, WholePlan } from './whole-steps';

export interface WholePlanOptions {
  /** Virtual minutes of entries and faults. */
  readonly minutes: number;
  readonly profile: Profile;
  /** Faults come so many times more rarely. 1 if absent. */
  readonly pace?: number;
  /** Several daemons that share leases; one daemon without a database if absent. */
  readonly fleet?: boolean;
  /** Every account keeps one position a symbol; each at random if absent. */
  readonly marginMode?: MarginMode;
}

/** The daemon's requests are few: faults come to a gateway this much more rarely than under bots. */
const rarer = 1.5;

/** Makes the plan of a seed: some kinds of faults, with one to three gateways. */
export function wholePlanOf(
  seed: number,
  { minutes, profile, marginMode, pace = 1, fleet = false }: WholePlanOptions,
): WholePlan {
  const random = new SeededRandom(`whole plan ${seed}`);
  const lengthMs = minutes * 60_000;
  const actions: { readonly atMs: number; readonly action: WholeAction }[] = [];
  const add = <A>(
    name: string,
    { share, everyMs, make }: Disturbance<A>,
    times: number,
    wrap: (action: A) => WholeAction,
  ): void => {
    const own = random.fork(name);
    if (!own.chance(share)) return;
    const meanMs = own.pick(everyMs) * times * pace;
    for (let atMs = own.delayMs(meanMs, 10 * meanMs); atMs < lengthMs; atMs += own.delayMs(meanMs, 10 * meanMs) + 1) {
      actions.push({ atMs, action: wrap(make(own)) });
    }
  };
  const gateways = random.pick([1, 2, 2, 3]);
  const scope = random.fork('fleet');
  const hosts = fleet ? scope.pick([2, 2, 3]) : 1;
  for (const [name, disturbance] of Object.entries(daemonDisturbances)) {
    if (!isIn(profile, name)) continue;
    add(name, disturbance, 1, (action) => ({ at: 'daemon', action }));
    for (let host = 1; host < hosts; host++) {
      add(`${name} of host ${host}`, disturbance, 1, (action) => ({ at: 'daemon', host, action }));
    }
  }
  for (let host = 0; fleet && host < hosts; host++) {
    for (const [name, disturbance] of Object.entries(hostDisturbances)) {
      if (isIn(profile, name)) {
        add(`${name} of host ${host}`, disturbance, 1, (action) => ({ at: 'daemon', host, action }));
      }
    }
    for (const [name, disturbance] of Object.entries(databaseWayDisturbances)) {
      if (!isIn(profile, name)) continue;
      add(`${name} of host ${host}`, disturbance, 1, (action) => ({ at: 'database', action: { ...action, host } }));
    }
  }
  for (const [name, disturbance] of Object.entries(fleet ? databaseDisturbances : {})) {
    if (isIn(profile, name)) add(name, disturbance, 1, (action) => ({ at: 'database', action }));
  }
  for (const [name, order] of Object.entries(fleet ? fleetOrders(hosts) : {})) {
    if (isIn(profile, name)) add(name, order, 1, (action) => ({ at: 'fleet', action }));
  }
  for (let gateway = 0; gateway < gateways; gateway++) {
    for (const [name, disturbance] of Object.entries(wayDisturbances)) {
      if (isIn(profile, name)) add(`${name} ${gateway}`, disturbance, 1, (action) => ({ at: gateway, action }));
    }
    for (const [name, disturbance] of Object.entries(disturbances)) {
      if (!isIn(profile, name)) continue;
      add(`${name} ${gateway}`, disturbance, rarer, (action) => ({
        at: gateway,
        action: action as FaultStep | OperatorStep,
      }));
    }
  }
  const steps = actions.sort((a, b) => a.atMs - b.atMs).map(({ atMs, action }, id) => ({ ...action, atMs, id }));
  return {
    ...{ program: 'whole', seed: String(seed), lengthMs, gateways, steps },
    ...(fleet ? { fleet: fleetOf(scope, hosts) } : {}),
    ...scopeOf(seed, random.fork('scope'), gateways, marginMode),
    ...chargesOf(seed),
    settings: {
      TERMINAL_CALL_TIMEOUT_MS: random.pick(['2000', '10000']),
      TERMINAL_TRADE_TIMEOUT_MS: random.pick(['2000', '20000']),
      IDEMPOTENCY_TTL_SECONDS: random.pick(['3600', '86400']),
      MAX_ORDERS_PER_MINUTE: random.pick(['10', '1000']),
    },
  };
}

function fleetOf(scope: SeededRandom, hosts: number): FleetPlan {
  const leaseSeconds = scope.pick([3, 10, 10]);
  return { hosts, leaseSeconds, ...(scope.chance(0.5) ? { isApplied: true } : {}) };
}

/** So narrow that a run reaches them, and so wide that it does not. The capital is 10,000. */
const portfolioLimits = [
  { maxDailyLoss: 2, maxDrawdownPct: null },
  { maxDailyLoss: null, maxDrawdownPct: 0.02 },
  { maxDailyLoss: 500, maxDrawdownPct: 5 },
] as const;

/** Which accounts, portfolios, days and prices a seed has. */
function scopeOf(
  seed: number,
  random: SeededRandom,
  gateways: number,
  marginMode: MarginMode | undefined,
): Pick<WholePlan, 'marginModes' | 'portfolio' | 'changesOrders' | 'trails' | 'start' | 'prices'> {
  const modes = Array.from({ length: gateways }, () => random.pick(['hedging', 'hedging', 'netting'] as const));
  return {
    marginModes: marginMode ? modes.map(() => marginMode) : modes,
    ...(random.chance(0.5) ? { portfolio: random.pick(portfolioLimits) } : {}),
    changesOrders: seed % 2 === 0,
    trails: seed % 4 < 2,
    start: startOf(seed),
    prices: random.chance(0.3) ? 'recorded' : 'generated',
  };
}
