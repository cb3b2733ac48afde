import type { Clock } from '@libs/clock';
import type { Logger } from 'pino';
import type { StrategySpec } from '../core/strategy-spec';
import type { SharedUnits } from '../leases/shared-units';
import { unitOf } from '../leases/units';
import type { Shutdown } from '../shutdown';
import { handOver } from '../strategies/strategy-retirement';
import type { StrategyRunner } from '../strategies/strategy-runner';
import type { Fleet } from './fleet';

export interface UnitSurroundings {
  readonly fleet: Fleet;
  readonly units: SharedUnits;
  readonly clock: Clock;
  readonly logger: Logger;
  /** That of the daemon. */
  readonly shutdown: Shutdown;
}

/** How long requests in flight of a unit are followed before another host continues with them. */
const handoverMs = 8_000;

/**
 * Brings what runs here in line with the leases: strategies whose lease has ended stop, and those of a unit that was taken
 * start.
 */
export async function followLeases({ fleet, units, clock, logger, shutdown }: UnitSurroundings): Promise<void> {
  await letLeave({ fleet, units, clock });
  const { ended } = units;
  const names = new Set(ended.map(({ fence }) => fence.name));
  const leaving = fleet.strategies.filter(({ spec }) => names.has(unitOf(spec)));
  await Promise.all(leaving.map((strategy) => stop(strategy, fleet, units.host)));
  // A shutdown does not know what arrives after it has begun: its leases are given back without a start.
  if (shutdown.isStopping) return;
  const { part } = units;
  const present = new Set(fleet.strategies.map(({ spec }) => spec.name));
  for (const spec of part.strategies.filter(({ name }) => !present.has(name))) add(spec, fleet, units);
  await fleet.arrange(part);
  const left = new Set(fleet.strategies.map(({ spec }) => unitOf(spec)));
  await units.stopped([...ended, ...units.unconfigured.filter(({ fence }) => !left.has(fence.name))]);
  if (shutdown.isStopping) return;
  // Also those that were added by a call that failed then.
  const arriving = fleet.strategies.filter(({ spec, isUnderWay }) => !isUnderWay && units.runsHere(spec));
  await Promise.all(arriving.map((strategy) => start(strategy, fleet, logger)));
}

/** A unit runs here as a whole, or not at all. */
function add(spec: StrategySpec, fleet: Fleet, units: SharedUnits): void {
  if (!units.runsHere(spec)) return;
  try {
    fleet.add(spec);
  } catch (error) {
    units.giveUp(spec, `${spec.name} cannot run here: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** In the order of a shutdown: entries are denied, requests in flight are followed, and everything is written. */
async function letLeave({ fleet, units, clock }: Pick<UnitSurroundings, 'fleet' | 'units' | 'clock'>): Promise<void> {
  const leaving = new Set(units.leaving);
  if (leaving.size === 0) return;
  const strategies = fleet.strategies.filter(({ spec }) => leaving.has(unitOf(spec)));
  // Whatever fails, the lease ends: a unit that has half stopped must not keep it.
  await Promise.race([Promise.allSettled(strategies.map((strategy) => strategy.stop())), clock.sleep(handoverMs)]);
  const portfolios = fleet.portfolios.filter(({ spec }) => leaving.has(spec.name));
  await Promise.allSettled(portfolios.map((portfolio) => portfolio.close()));
  for (const unit of leaving) units.handedOver(unit);
}

async function stop(strategy: StrategyRunner, fleet: Fleet, host: string): Promise<void> {
  await handOver(strategy, host);
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
