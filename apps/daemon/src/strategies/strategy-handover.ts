import type { StrategyRunner } from './strategy-runner';

/**
 * Ends a strategy on this host whose lease has ended. Nothing is cancelled or closed, and nothing is followed any more: its
 * next holder reads the state and continues.
 */
export async function handOver(runner: StrategyRunner): Promise<void> {
  await runner.stop();
  for (const { sync } of runner.services.gateways.values()) sync.remove(runner.account);
  runner.log.info('handed over to another host');
}
