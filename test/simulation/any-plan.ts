import type { Plan } from './steps';
import type { WholePlan } from './whole/whole-steps';

/** A plan of one gateway under bots, or of the daemon and its gateways. */
export type AnyPlan = Plan | WholePlan;
