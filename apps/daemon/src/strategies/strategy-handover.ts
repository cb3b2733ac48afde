import type { StrategyRunner } from './strategy-runner';

/**
 * Stops a strategy on this host after its lease has ended. Its orders and positions stay as they are, and its requests in
 * flight are no longer looked up here: the next holder of the lease reads the state and continues.
 * @param host name of this host, for the log
 */
export async function handOver(runner: StrategyRunner, host: string): Promise<void> {
  await runner.stop();
  for (const { sync } of runner.services.gateways.values()) sync.remove(runner.account);
  runner.log.info('handed over to another host', { host });
}
