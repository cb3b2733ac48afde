import type { AnyPlan } from './any-plan';
import { planOf } from './plan';
import type { Profile } from './profiles';
import { startOf } from './starts';
import { wholePlanOf } from './whole/whole-plan';

/** What is simulated for a seed. */
export interface SeededPlanOptions {
  /** The daemon with its gateways, in place of one gateway under bots. */
  readonly whole: boolean;
  /** Several daemons that share leases, with their gateways. */
  readonly fleet?: boolean;
  /** Accounts that keep one position a symbol. */
  readonly netting: boolean;
  /** Virtual minutes of clients and faults. */
  readonly minutes: number;
  readonly profile: Profile;
  /** Requests and faults come so many times more rarely: a run of many hours that costs as much as a short one. */
  readonly pace?: number;
}

/** The plan that `npm run simulate` runs for a seed. */
export function seededPlan(
  seed: number,
  { whole, fleet = false, netting, minutes, profile, pace = 1 }: SeededPlanOptions,
): AnyPlan {
  const mode = netting ? ({ marginMode: 'netting' } as const) : {};
  if (whole || fleet) return wholePlanOf(seed, { minutes, profile, pace, fleet, ...mode });
  return planOf(seed, { minutes, profile, pace, start: startOf(seed), ...mode });
}
