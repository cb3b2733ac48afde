import { disturbances, type Disturbance } from '../disturbances';
import { isIn, type Profile } from '../profiles';
import { SeededRandom } from '../seeded-random';
import type { FaultStep, OperatorStep } from '../steps';
import { daemonDisturbances, wayDisturbances } from './daemon-disturbances';
import type { WholeAction, WholePlan } from './whole-steps';

export interface WholePlanOptions {
  /** Virtual minutes of entries and faults. */
  readonly minutes: number;
  readonly profile: Profile;
}

/** The daemon's requests are few: faults come to a gateway this much more rarely than under bots. */
const rarer = 1.5;

/** Makes the plan of a seed: some kinds of faults, with one to three gateways. */
export function wholePlanOf(seed: number, { minutes, profile }: WholePlanOptions): WholePlan {
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
    const meanMs = own.pick(everyMs) * times;
    for (let atMs = own.delayMs(meanMs, 10 * meanMs); atMs < lengthMs; atMs += own.delayMs(meanMs, 10 * meanMs) + 1) {
      actions.push({ atMs, action: wrap(make(own)) });
    }
  };
  const gateways = random.pick([1, 2, 2, 3]);
  for (const [name, disturbance] of Object.entries(daemonDisturbances)) {
    if (isIn(profile, name)) add(name, disturbance, 1, (action) => ({ at: 'daemon', action }));
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
    settings: {
      TERMINAL_CALL_TIMEOUT_MS: random.pick(['2000', '10000']),
      TERMINAL_TRADE_TIMEOUT_MS: random.pick(['2000', '20000']),
      IDEMPOTENCY_TTL_SECONDS: random.pick(['3600', '86400']),
      MAX_ORDERS_PER_MINUTE: random.pick(['10', '1000']),
    },
  };
}
