import { isDeepStrictEqual } from 'node:util';
import type { Timer, Clock } from '@libs/clock';
import type { Logger } from 'pino';
import { refreshed, type Configured, type DaemonFile } from '../daemon-file/daemon-file';
import { DaemonFileError } from '../daemon-file/daemon-file-error';
import { publishMs } from '../leases/published-reports';
import type { SharedUnits } from '../leases/shared-units';
import type { Services } from '../strategies/services';
import { eachOf } from '../live/account-sync';
import type { Configuration } from './configuration';
import type { Fleet } from './fleet';
import type { Gateways } from './gateways';
import { Reload } from './reload';
import type { ReloadReport } from './reload-report';
import type { StrategySpec } from '../core/strategy-spec';
import { unitOf } from '../leases/units';
import type { Shutdown } from '../shutdown';
import { handOver } from '../strategies/strategy-retirement';
import type { StrategyRunner } from '../strategies/strategy-runner';

/** Strategies that start at a time: they share the reads of their accounts. Fewer load at a time. */
const atATime = 32;

interface FollowerOptions {
  readonly fleet: Fleet;
  readonly gateways: Gateways;
  readonly services: Services;
  readonly logger: Logger;
  readonly configured: Configured;
  /** Which configuration runs: each reload is noted there. */
  readonly configuration: Configuration;
  /** The units that several hosts share by leases; null: everything that is configured runs here. */
  readonly units: SharedUnits | null;
}

/** How long what a reload has postponed waits. */
const completeMs = 30_000;

/** Brings the strategies of this host in line with the configuration and the leases, one change at a time. */
export class Follower {
  /** Of the first start, of reloads, and of changes of leases. */
  private readonly turns = new Turns();
  private waitingReload: Promise<ReloadReport> | null = null;
  private following: Promise<void> | null = null;
  private followAgain: Timer | null = null;
  /** The last reload that changed something, with its report, while a part of it is postponed. */
  private postponed: { readonly reload: Reload; readonly report: ReloadReport } | null = null;
  private completeAgain: Timer | null = null;

  constructor(private readonly options: FollowerOptions) {}

  /** Starts the strategies in the order of the file. */
  deploy(): Promise<void> {
    const { fleet, services, logger } = this.options;
    return this.turns.take(() =>
      eachOf(fleet.strategies, atATime, async (strategy) => {
        if (services.shutdown.isStopping) return;
        await strategy.start();
        logger.info({ strategy: strategy.spec.name, state: strategy.state }, 'strategy deployed');
      }),
    );
  }

  /** Takes over the configuration that exists when the turn comes. Calls until then share this turn. */
  reload(): Promise<ReloadReport> {
    return (this.waitingReload ??= this.turns.take(() => {
      this.waitingReload = null;
      return this.takeOver();
    }));
  }

  /** Reloads while a version of the fleet is later than the one that runs. Never rejects: the next call tries again. */
  followConfiguration(): Promise<void> {
    return (this.following ??= this.reloadOutdated().finally(() => (this.following = null)));
  }

  /** Starts and stops strategies as the leases say. Never rejects: a failure is logged, and tried again. */
  async followLeases(): Promise<void> {
    const { units, services, logger } = this.options;
    const { clock, shutdown } = services;
    if (!units) return;
    await this.turns
      .take(() => (shutdown.isStopping ? Promise.resolve() : followLeases(this.around(units))))
      .catch((error: unknown) => {
        logger.error({ err: error }, 'the units of this host could not be changed');
        this.followAgain ??= clock.setTimer(publishMs, () => {
          this.followAgain = null;
          void this.followLeases();
        });
      });
  }

  /** Ends the wait for another attempt. */
  stop(): void {
    this.followAgain?.cancel();
    this.completeAgain?.cancel();
  }

  private async takeOver(): Promise<ReloadReport> {
    const { units, configured, configuration } = this.options;
    // What has to stop must not be retired as something that was removed from the configuration.
    if (units) await followLeases(this.around(units));
    const unread = configured.refresh ? await refreshed(configured) : null;
    const before = units?.configuration;
    const versionBefore = configuration.version;
    const report = await this.applied(unread);
    if (report.outcome === 'refused' && before) units?.configure(before, versionBefore ?? undefined);
    this.completeLater();
    // The units that the new configuration lacks have stopped by now.
    if (units) await followLeases(this.around(units));
    this.note(report);
    return report;
  }

  /** @param unread why the newest version could not be read; null if it was */
  private async applied(unread: string | null): Promise<ReloadReport> {
    const { fleet, gateways, services, logger, configured, units } = this.options;
    const readFile = (): DaemonFile => {
      if (unread !== null) throw new DaemonFileError('configuration', [unread]);
      const file = configured.readFile();
      units?.configure(file, configured.version);
      return file;
    };
    const partOf = (file: DaemonFile): DaemonFile => units?.part ?? file;
    const isElsewhere = (name: string): boolean => units?.strategies.some((spec) => spec.name === name) ?? false;
    const reload = new Reload({ fleet, gateways, services, logger, readFile, partOf, isElsewhere });
    const report = await reload.run();
    // What an earlier reload has postponed stays so after one that has changed nothing.
    if (report.outcome !== 'refused') this.postponed = reload.isPostponed ? { reload, report } : null;
    return report;
  }

  private completeLater(): void {
    this.completeAgain?.cancel();
    const { clock, shutdown } = this.options.services;
    if (this.postponed === null || shutdown.isStopping) return;
    this.completeAgain = clock.setTimer(completeMs, () => void this.complete());
  }

  /** Tries again what the last reload has postponed. Never rejects. */
  private async complete(): Promise<void> {
    const { services, logger } = this.options;
    await this.turns
      .take(() => (services.shutdown.isStopping ? Promise.resolve() : this.completeReload()))
      .catch((error: unknown) => logger.error({ err: error }, 'the last reload could not be completed'));
    this.completeLater();
  }

  private async completeReload(): Promise<void> {
    const { units, configuration, logger } = this.options;
    if (this.postponed === null) return;
    const { reload, report: before } = this.postponed;
    if (units) await followLeases(this.around(units));
    const report = await reload.complete();
    // The units of removed strategies are given back.
    if (units) await followLeases(this.around(units));
    if (report === null) return;
    this.postponed = reload.isPostponed ? { reload, report } : null;
    configuration.completed(report);
    if (!isDeepStrictEqual(report, before)) logger.info(report, `postponed changes tried again: ${report.outcome}`);
  }

  private note(report: ReloadReport): void {
    const { configuration, configured, logger } = this.options;
    const { lastReload, hasRefused } = configuration;
    const isRepeated = hasRefused && isDeepStrictEqual(lastReload?.problems, report.problems);
    configuration.note(report, configured.version);
    // A version that is refused is tried again and again.
    if (isRepeated) return;
    for (const problem of report.problems) logger.error({ problem }, 'the configuration could not be applied');
    logger.info(report, `configuration reloaded: ${report.outcome}`);
  }

  private async reloadOutdated(): Promise<void> {
    const { configuration, configured, services, logger } = this.options;
    try {
      const { version } = configuration;
      const isOutdated = (await configured.isOutdated?.(version)) ?? false;
      // A reload may have ended meanwhile.
      if (configuration.version === version) configuration.isOutdated = isOutdated;
      if (configuration.isOutdated && !services.shutdown.isStopping) await this.reload();
    } catch (error) {
      logger.debug({ err: error }, 'the version of the configuration could not be read');
    }
  }

  private around(units: SharedUnits): UnitSurroundings {
    const { fleet, services, logger } = this.options;
    return { fleet, units, clock: services.clock, logger, shutdown: services.shutdown };
  }
}

/** Runs tasks one at a time, in the order in which they were submitted. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  /** Resolves or rejects with what the work comes to. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.last.then(work);
    this.last = turn.catch(() => undefined);
    return turn;
  }
}

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
 * Follows the leases: stops strategies without a lease, and starts those of a unit that this host has taken.
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
