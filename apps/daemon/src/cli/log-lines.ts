import type { TimedLog } from '../backtest/backtest-result';
import { withBrokerTime } from '../core/event-time';

/** Lines of the log of a backtest for the terminal, with the UTC and the broker's time of the event that each is from. */
export function logLines(logs: readonly (TimedLog & { readonly strategy?: string })[]): string {
  return logs
    .map(({ timeMs, serverMs, strategy, message, details }) => {
      const name = strategy === undefined ? '' : ` ${strategy}`;
      const more = details === null ? '' : ` ${JSON.stringify(details)}`;
      return `${new Date(timeMs).toISOString()}${name} ${withBrokerTime(serverMs, message)}${more}\n`;
    })
    .join('');
}
