import { join } from 'node:path';
import { CommandFolder } from '@libs/command-folder';
import type { Timer } from '@libs/clock';
import type { HttpSurface } from '@libs/http-surface';
import type { Spans } from '@libs/tracing';
import type { Logger } from 'pino';
import { carryOut, isLong } from './commands/carry-out';
import { commandOf, type Command } from './commands/command';
import { equityEveryMs, recordEquity } from './control/believed-result';
import { publishedText, reportOf } from './control/fleet-report';
import { fleetRow } from './control/fleet-scope';
import { barWaitMs, tracksLatency, type DaemonSettings } from './daemon.config';
import type { DaemonEdge, HeldDirectory } from './daemon.edge';
import { Gateways } from './runtime/gateways';
import { LatencyBook } from './latency/latency-book';
import { publishMs } from './leases/published-reports';
import type { SharedUnits } from './leases/shared-units';
import { LogBook } from './logs/log-book';
import { type Portfolio, watchPortfolios } from './portfolios/portfolio';
import { Configuration } from './runtime/configuration';
import type { Configured } from './daemon-file/daemon-file';
import { Fleet } from './runtime/fleet';
import { Follower } from './runtime/follower';
import { guarded } from './guarded';
import type { ReloadReport } from './runtime/reload-report';
import { Shutdown } from './shutdown';
import { Slots } from './slots';
import { ExitJournal } from './state/exit-journal';
import { Pruner } from './state/pruner';
import { StateStore, type DaemonState } from './state/state-store';
import { BundleCache } from './strategies/bundle-cache';
import type { GatewayServices, Services } from './strategies/services';
import type { StrategyRunner } from './strategies/strategy-runner';
import type { ThreadHost } from './strategies/thread-host';
import { Threads } from './strategies/threads';
import { IdempotencyKeys } from './live/surroundings';

export type { Configured } from './daemon-file/daemon-file';

export interface DaemonOptions {
  readonly settings: DaemonSettings;
  readonly configured: Configured;
  readonly stateDir: string;
  /** What the ports of the daemon share. */
  readonly surface: HttpSurface;
  readonly logger: Logger;
  readonly edge: DaemonEdge;
  readonly spans: Spans;
  /** The units that several hosts share by leases; null: everything that is configured runs here. */
  readonly units?: SharedUnits | null;
}

/** How often commands left in the state directory are taken up. */
const serveCommandsMs = 250;
/** How long a shutdown waits for requests in flight. */
const shutdownMs = 8_000;
/** Strategies that load at a time when they start: while one waits for its thread or a read, another goes on. */
const loadsAtATime = 2;

/** The daemon: its gateways, its strategies and its state. */
export class Daemon {
  readonly latency: LatencyBook;
  readonly logs: LogBook;
  readonly configuration: Configuration;
  private readonly known: Gateways;
  private readonly services: Services;
  private readonly fleet: Fleet;
  private readonly follower: Follower;
  private readonly shutdown = new Shutdown();
  private readonly timers: Timer[] = [];
  private readonly pruner: Pruner;
  private readonly commands: CommandFolder<Command>;
  private readonly startedMs: number;
  readonly units: SharedUnits | null;

  private constructor(
    private readonly options: DaemonOptions,
    private readonly lock: HeldDirectory,
    private readonly store: DaemonState,
    host: ThreadHost,
  ) {
    const { settings, configured, stateDir, surface, logger, edge, spans } = options;
    const { clock, files, network } = edge;
    this.pruner = new Pruner({ store, clock, keepDays: settings.DAEMON_STATE_KEEP_DAYS });
    this.units = options.units ?? null;
    this.startedMs = clock.monotonicMs();
    this.configuration = new Configuration(clock, configured.version);
    this.latency = new LatencyBook(tracksLatency(settings));
    this.logs = new LogBook(join(stateDir, 'logs'), clock, logger, files);
    this.commands = new CommandFolder(stateDir, files, commandOf, isLong);
    this.known = new Gateways({ clock, logger, network, store, deployed: this, keys: configured });
    const limits = { watchdogMs: settings.DAEMON_WATCHDOG_MS, maxHeapMb: settings.DAEMON_MAX_HEAP_MB };
    this.services = {
      clock,
      store,
      logs: this.logs,
      latency: this.latency,
      spans,
      keys: new IdempotencyKeys(edge.newSession()),
      threads: new Threads(host, limits, clock),
      loads: new Slots(loadsAtATime),
      bundles: new BundleCache((path) => edge.strategies.bundle(path)),
      barWaitMs: barWaitMs(settings),
      gateways: this.known.byName,
      shutdown: this.shutdown,
      lease: null,
      recordings: edge.recordings,
      // On a netting account, strategies on other hosts share positions as well.
      specs: () => this.units?.strategies ?? this.strategies.map(({ spec }) => spec),
    };
    const access = {
      surface,
      token: settings.DAEMON_CONTROL_TOKEN,
      allowedHosts: settings.DAEMON_ALLOWED_HOSTS,
    };
    const { services, configuration, units, known: gateways } = this;
    const fleet = new Fleet(services, edge.ports(this.latency, access), units);
    this.fleet = fleet;
    this.follower = new Follower({ fleet, gateways, services, logger, configured, configuration, units });
  }

  /** Takes the state directory and reads what is in it. @throws StateDirLockedError, StateOpenError, DaemonFileError */
  static async open(options: DaemonOptions): Promise<Daemon> {
    const { stateDir, edge, configured, logger, settings } = options;
    const { clock, stores } = edge;
    const lock = await edge.hold(stateDir);
    let store: DaemonState | null = null;
    try {
      const whole = configured.readFile();
      const { units = null } = options;
      units?.configure(whole, configured.version);
      const file = units?.part ?? whole;
      const keepDays = settings.DAEMON_STATE_KEEP_DAYS;
      units?.state.keepExits(ExitJournal.open(stateDir, { stores, clock, logger, keepDays }));
      store = units?.state ?? StateStore.open(stateDir, clock, stores);
      const daemon = new Daemon(options, lock, store, await edge.strategies.threads());
      await daemon.commands.make();
      for (const spec of file.gateways) daemon.known.add(spec);
      for (const spec of file.strategies) daemon.fleet.add(spec);
      await daemon.fleet.arrange(file);
      return daemon;
    } catch (error) {
      await store?.close();
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

  /** Milliseconds since the epoch. */
  get nowMs(): number {
    return this.options.edge.clock.nowMs();
  }

  get uptimeMs(): number {
    return Math.round(this.options.edge.clock.monotonicMs() - this.startedMs);
  }

  /** Reads each gateway's account once; an unreachable gateway is retried with its strategies. */
  async verifyGateways(): Promise<void> {
    await this.known.verifyAll();
  }

  async openPorts(): Promise<void> {
    await Promise.all(this.strategies.map((strategy) => this.fleet.openPort(strategy)));
  }

  /** Deploys the strategies, and reads the account regularly from then on. */
  async deploy(): Promise<void> {
    const { edge, logger } = this.options;
    this.known.watchAll();
    this.timers.push(watchPortfolios(() => this.portfolios, edge.clock, logger));
    this.timers.push(
      edge.clock.every(equityEveryMs, () => {
        guarded(logger, 'the equity could not be recorded', () => recordEquity(this, this.logs, edge.clock.nowMs()));
      }),
    );
    this.pruner.start();
    this.serveCommands();
    await this.follower.deploy();
    // Leases that are taken now would never be given back.
    if (this.shutdown.isStopping) return;
    this.publish();
    this.units?.start({
      shutdown: this.shutdown,
      fencesOf: (gateway) => this.known.get(gateway).session.client.fences,
      onChange: () => void this.follower.followLeases(),
      onNotified: () => void this.follower.followConfiguration(),
    });
  }

  /** Takes over the configuration that exists when the turn of this reload comes. */
  reload(): Promise<ReloadReport> {
    return this.follower.reload();
  }

  /** Denies entries and follows requests in flight. Everything is on disk when this resolves. */
  async stop(): Promise<void> {
    this.shutdown.begin();
    this.units?.drain();
    for (const timer of this.timers) timer.cancel();
    this.follower.stop();
    this.known.stop();
    const orderly = Promise.all(this.strategies.map((strategy) => strategy.stop()));
    await Promise.race([orderly, this.options.edge.clock.sleep(shutdownMs)]);
    this.shutdown.end();
    await Promise.all(this.portfolios.map((portfolio) => portfolio.close()));
    this.fleet.closePorts();
    await this.logs.flushed();
    await this.pruner.stop();
    await this.store.close();
    // All writes are made: the next holder reads what this one has left.
    await this.units?.end();
    await this.lock.release();
    await this.options.spans.close();
  }

  /** What the other hosts of a fleet show of this one, and what they have changed. */
  private publish(): void {
    const { units } = this;
    if (!units) return;
    const publish = (): void => {
      void units.reports.publish(() => publishedText(reportOf(this)));
      // A notification may have been lost with its connection.
      void this.follower.followConfiguration();
    };
    this.timers.push(this.options.edge.clock.every(publishMs, publish));
  }

  private serveCommands(): void {
    const { edge, logger } = this.options;
    const { commands, store } = this;
    const reload = (): Promise<ReloadReport> => this.reload();
    const hostOf = async (name: string): Promise<string | null> => {
      const row = this.units && (await fleetRow(this, this.units, name));
      return typeof row?.['host'] === 'string' ? row['host'] : null;
    };
    let serving = false;
    const serve = (): void => {
      if (serving) return;
      serving = true;
      commands
        .serve((command) =>
          carryOut(command, { portfolios: this.portfolios, strategies: this.strategies, store, reload, hostOf }),
        )
        .catch((error: unknown) => logger.error({ err: error }, 'a command failed'))
        .finally(() => (serving = false));
    };
    this.timers.push(edge.clock.every(serveCommandsMs, () => guarded(logger, 'reading commands failed', serve)));
  }
}
