import { join } from 'node:path';
import type { Clock, Timer } from '@libs/clock';
import { StateLock } from '@libs/state-lock';
import type { Logger } from 'pino';
import { carryOut } from './commands/carry-out';
import { CommandFolder } from './commands/command-folder';
import type { DaemonFile } from './daemon-file/daemon-file';
import type { Member } from './gateways/account-report';
import { Gateways } from './gateways/gateways';
import { LatencyBook } from './latency/latency-book';
import { LogBook } from './logs/log-book';
import type { Portfolio } from './portfolios/portfolio';
import { watchPortfolios } from './portfolios/watch-portfolios';
import { Configuration } from './runtime/configuration';
import { Fleet, type Ports } from './runtime/fleet';
import { guarded } from './runtime/guarded';
import { Reload } from './runtime/reload';
import type { ReloadReport } from './runtime/reload-report';
import { Turns } from './runtime/turns';
import { Pruner } from './state/pruner';
import { StateStore } from './state/state-store';
import { BundleCache } from './strategies/bundle-cache';
import type { GatewayServices, Services } from './strategies/services';
import { bundleWorker } from './strategies/strategy-bundler';
import type { StrategyRunner } from './strategies/strategy-runner';
import { Threads } from './strategies/threads';
import { IdempotencyKeys } from './trading/idempotency-keys';

export interface DaemonOptions {
  /** Reads the configuration file as it is now. @throws DaemonFileError */
  readonly readFile: () => DaemonFile;
  readonly stateDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Reads the key a gateway's `apiKeyEnv` names. */
  readonly apiKey: (variable: string) => string;
  readonly tracksLatency: boolean;
  readonly watchdogMs: number;
  readonly maxHeapMb: number;
  /** How long what is over is remembered. */
  readonly keepStateDays: number;
  readonly ports: (latency: LatencyBook) => Ports;
}

/** How often commands left in the state directory are taken up. */
const serveCommandsMs = 250;
/** How long the requests on their way may take at shutdown. */
const shutdownMs = 8_000;

/** The daemon: its gateways, its strategies, its memory. */
export class Daemon {
  readonly latency: LatencyBook;
  readonly logs: LogBook;
  readonly configuration: Configuration;
  private readonly known: Gateways;
  private readonly services: Services;
  private readonly fleet: Fleet;
  /** Deployment and reloads: one at a time. */
  private readonly turns = new Turns();
  private waitingReload: Promise<ReloadReport> | null = null;
  private stopping = false;
  private ended = false;
  private readonly timers: Timer[] = [];
  private readonly pruner: Pruner;
  private readonly startedMs: number;

  private constructor(
    private readonly options: DaemonOptions,
    private readonly lock: StateLock,
    private readonly store: StateStore,
    workerEntry: string,
  ) {
    const { clock, stateDir, keepStateDays } = options;
    this.pruner = new Pruner({ store, clock, keepDays: keepStateDays });
    this.startedMs = clock.monotonicMs();
    this.configuration = new Configuration(clock);
    this.latency = new LatencyBook(options.tracksLatency);
    this.logs = new LogBook(join(stateDir, 'logs'), clock, options.logger);
    const members = (): readonly Member[] => this.strategies.map(memberOf);
    this.known = new Gateways({ ...options, store, members });
    this.services = {
      clock,
      store,
      logs: this.logs,
      latency: this.latency,
      keys: new IdempotencyKeys(),
      threads: new Threads(workerEntry, options, clock),
      bundles: new BundleCache(),
      gateway: (name) => this.known.get(name),
      hasGateway: (name) => this.known.has(name),
      gateways: () => this.known.all,
      specs: () => this.strategies.map(({ spec }) => spec),
      isStopping: () => this.stopping,
      hasEnded: () => this.ended,
    };
    this.fleet = new Fleet(this.services, options.ports(this.latency));
  }

  /** Takes the state directory and reads what is in it. @throws StateDirLockedError, StateOpenError, DaemonFileError */
  static async open(options: DaemonOptions): Promise<Daemon> {
    const lock = await StateLock.take(options.stateDir, 'daemon');
    try {
      const file = options.readFile();
      const daemon = new Daemon(options, lock, StateStore.open(options.stateDir, options.clock), await bundleWorker());
      for (const spec of file.gateways) daemon.known.add(spec);
      for (const spec of file.strategies) daemon.fleet.add(spec);
      await daemon.fleet.arrange(file);
      return daemon;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  get gateways(): readonly GatewayServices[] {
    return this.known.all;
  }

  get strategies(): readonly StrategyRunner[] {
    return this.fleet.strategies;
  }

  get portfolios(): readonly Portfolio[] {
    return this.fleet.portfolios;
  }

  get uptimeMs(): number {
    return Math.round(this.options.clock.monotonicMs() - this.startedMs);
  }

  /** Looks at each gateway's account once; one that is away is tried again with its strategies. */
  async verifyGateways(): Promise<void> {
    await this.known.verifyAll();
  }

  async openPorts(): Promise<void> {
    await Promise.all(this.strategies.map((strategy) => this.fleet.openPort(strategy)));
  }

  /** Deploys the strategies one by one and keeps the account in sight. */
  async deploy(): Promise<void> {
    const { clock, logger } = this.options;
    this.known.watchAll();
    this.timers.push(watchPortfolios(() => this.portfolios, clock, logger));
    this.pruner.start();
    this.serveCommands();
    await this.turns.take(async () => {
      for (const strategy of this.strategies) {
        if (this.stopping) return;
        await strategy.start();
        logger.info({ strategy: strategy.spec.name, state: strategy.state }, 'strategy deployed');
      }
    });
  }

  /** Takes over the configuration file as it is when the turn comes; asked for again before that, it is the same turn. */
  reload(): Promise<ReloadReport> {
    return (this.waitingReload ??= this.turns.take(() => {
      this.waitingReload = null;
      return this.takeOver();
    }));
  }

  /** No new entries; what is on its way is followed, and everything is on disk when this resolves. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const timer of this.timers) timer.cancel();
    this.known.stop();
    const orderly = Promise.all(this.strategies.map((strategy) => strategy.stop()));
    await Promise.race([orderly, this.options.clock.sleep(shutdownMs)]);
    this.ended = true;
    await Promise.all(this.portfolios.map((portfolio) => portfolio.close()));
    this.fleet.closePorts();
    await this.logs.flushed();
    await this.pruner.stop();
    await this.store.close();
    await this.lock.release();
  }

  private async takeOver(): Promise<ReloadReport> {
    const { logger, readFile } = this.options;
    const { fleet, services, known: gateways } = this;
    const report = await new Reload({ fleet, gateways, services, logger, readFile }).run();
    this.configuration.note(report);
    for (const problem of report.problems) logger.error({ problem }, 'the configuration could not be taken over');
    logger.info(report, `configuration reloaded: ${report.outcome}`);
    return report;
  }

  private serveCommands(): void {
    const { clock, logger, stateDir } = this.options;
    const commands = new CommandFolder(stateDir);
    let serving = false;
    const serve = (): void => {
      if (serving) return;
      serving = true;
      commands
        .serve((command) => carryOut(command, this))
        .catch((error: unknown) => logger.error({ err: error }, 'a command could not be served'))
        .finally(() => (serving = false));
    };
    this.timers.push(clock.every(serveCommandsMs, () => guarded(logger, 'commands could not be served', serve)));
  }
}

function memberOf({ spec, book, trading }: StrategyRunner): Member {
  const { desk, unreadable } = trading;
  return { name: spec.name, book, inFlightOn: (broker) => desk.inFlightOn(broker), unreadable };
}
