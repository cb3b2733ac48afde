/** Settings of the simulated broker that a backtest heeds, too; the feed, its pace and the balance are its own. */
const heeded = [
  'SIM_CURRENCY',
  'SIM_LEVERAGE',
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
