import { operatorLimits, orderLimitSettings, type OperatorLimits } from '@libs/order-drafts/limits';
import { readSettings } from '@libs/settings';
import { barWaitMs, daemonSettings } from '../daemon.config';

/** Settings of the simulated broker that also apply to a backtest; it sets the feed, its pace and the balance itself. */
const heeded = [
  'SIM_CURRENCY',
  'SIM_LEVERAGE',
  'SIM_LIMIT_FILL',
  'SIM_SPREAD',
  'SIM_SLIPPAGE',
  'SIM_COMMISSION',
  'SIM_SWAP',
  'SIM_HOURS',
  'SIM_MARGIN_MODE',
  'SIM_MARGIN_CALL',
  'SIM_STOP_OUT',
  'SIM_STOPOUT_MODE',
  'SIM_FIFO_CLOSE',
  'SIM_HEDGE_PROHIBITED',
  'SIM_SERVER_TIME_ZONE',
  'SIM_SYMBOLS',
] as const;

/** Those of them that are set. */
export function backtestSettings(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(heeded.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/**
 * The operator's limits of a backtest: the settings that the gateway has for them, with the same defaults.
 * @throws SettingsError naming those that cannot be used
 */
export function backtestLimits(env: Readonly<Record<string, string | undefined>>): OperatorLimits {
  return operatorLimits(readSettings(orderLimitSettings, env));
}

/**
 * How long bars of one instant wait for those of other streams, in milliseconds of market time: the daemon's setting.
 * @throws SettingsError when it cannot be used
 */
export function backtestBarWaitMs(env: Readonly<Record<string, string | undefined>>): number {
  const { DAEMON_BAR_WAIT_SECONDS } = daemonSettings;
  return barWaitMs(readSettings({ DAEMON_BAR_WAIT_SECONDS }, env));
}
