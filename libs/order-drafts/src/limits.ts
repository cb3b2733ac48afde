// The settings without the checks: a command that starts a thread of checks loads only these.
export { operatorLimits, orderLimitSettings, type OperatorLimits } from './order-limits.config';
