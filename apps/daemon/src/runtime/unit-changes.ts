import type { Logger } from 'pino';
import type { SharedUnits } from '../leases/shared-units';
import { unitOf } from '../leases/units';
import { handOver } from '../strategies/strategy-handover';
import type { StrategyRunner } from '../strategies/strategy-runner';
import type { Fleet } from './fleet';

export interface UnitSurroundings {
  readonly fleet: Fleet;
  readonly units: SharedUnits;
  readonly logger: Logger;
}

/**
 * Brings what runs here in line with the leases: strategies whose lease has ended stop, and those of a unit that was taken
 * start.
 */
export async function followLeases({ fleet, units, logger }: UnitSurroundings): Promise<void> {
  const { ended } = units;
  const names = new Set(ended.map(({ fence }) => fence.name));
  const leaving = fleet.strategies.filter(({ spec }) => names.has(unitOf(spec)));
  await Promise.all(leaving.map((strategy) => stop(strategy, fleet)));
  const { part } = units;
  const running = new Set(fleet.strategies.map(({ spec }) => spec.name));
  const arriving = part.strategies.filter(({ name }) => !running.has(name)).map((spec) => fleet.add(spec));
  await fleet.arrange(part);
  const left = new Set(fleet.strategies.map(({ spec }) => unitOf(spec)));
  await units.stopped([...ended, ...units.unconfigured.filter(({ fence }) => !left.has(fence.name))]);
  await Promise.all(arriving.map((strategy) => start(strategy, fleet, logger)));
}

async function stop(strategy: StrategyRunner, fleet: Fleet): Promise<void> {
  await handOver(strategy);
  fleet.remove(strategy);
}

/** The port of a strategy is a view of it: without one it runs as well. */
async function start(strategy: StrategyRunner, fleet: Fleet, logger: Logger): Promise<void> {
  const { name } = strategy.spec;
  try {
    await fleet.openPort(strategy);
  } catch (error) {
    logger.error({ strategy: name, problem: String(error) }, 'the port of the strategy could not be opened');
  }
  await strategy.start();
  logger.info({ strategy: name, state: strategy.state }, 'strategy deployed');
}
