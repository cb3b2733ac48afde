import { ApiError } from '@libs/envelope';
import type { Daemon } from '../daemon';
import type { StrategyRunner } from '../strategies/strategy-runner';

/** The strategy of a name. @throws ApiError 404 */
export function strategyNamed(daemon: Daemon, name: string): StrategyRunner {
  const found = daemon.strategies.find(({ spec }) => spec.name === name);
  if (!found) throw new ApiError('not_found', `no strategy ${name}`);
  return found;
}
