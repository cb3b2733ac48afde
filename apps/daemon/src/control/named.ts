import { ApiError } from '@libs/envelope';
import type { Daemon } from '../daemon';
import type { StrategyLog } from '../logs/strategy-log';
import type { StrategyRunner } from '../strategies/strategy-runner';

/** Finds a strategy by name. @throws ApiError 404 */
export function strategyNamed(daemon: Daemon, name: string): StrategyRunner {
  const found = daemon.strategies.find(({ spec }) => spec.name === name);
  if (!found) throw new ApiError('not_found', `no strategy ${name}`);
  return found;
}

/** The log of a deployed strategy or portfolio; null if the name is unknown. */
export function logNamed({ strategies, portfolios, logs }: Daemon, name: string): StrategyLog | null {
  const strategy = strategies.find(({ spec }) => spec.name === name);
  if (strategy) return strategy.log;
  return portfolios.some(({ spec }) => spec.name === name) ? logs.of(name, 'portfolio') : null;
}
