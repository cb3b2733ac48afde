import type { Bar } from '@libs/strategy';
import { pino } from 'pino';
import { createDaemon, type DaemonApp } from '../../../apps/daemon/src/daemon.app';
import { readDaemonSettings } from '../../../apps/daemon/src/daemon.config';
import type { DaemonFile } from '../../../apps/daemon/src/daemon-file/daemon-file';
import type { DaemonEdge } from '../../../apps/daemon/src/daemon.edge';
import type { CommittedEntry } from '../gated-disk';
import { InstanceClock, type WallClock } from '../instance-clock';
import { ProgramProcess, type ProgramRun } from '../program-process';
import type { SeededRandom } from '../seeded-random';
import type { VirtualTime } from '../virtual-time';
import { readVersion, type DaemonConfiguration } from './daemon-configuration';
import { DaemonMachine, daemonStateDir } from './daemon-machine';
import { DaemonOperator } from './daemon-operator';
import type { DatabaseWay } from './database-way';
import { hostRun, unitOf, type FleetJudge } from './fleet-judge';
import type { GatewaySite } from './gateway-site';
import { barClosedMs } from './repeated-hour';
import type { ReplayedCores } from '../replayed-cores';
import { enteredUnseeing, type HeldPosition } from './invariants/requests';
import { SimulatedStrategyHost } from './strategy-host';
import type { WholeJudge } from './whole-judge';
import type { DaemonAction } from './whole-steps';

export type DaemonRun = ProgramRun<DaemonApp>;

const barMs = 60_000;
/** A supervisor kills a program that takes longer to stop. */
const stopWithinMs = 20_000;
const restartMs = 1_000;

/** The fleet that a host belongs to. */
export interface Fleet {
  readonly database: DatabaseWay;
  readonly judge: FleetJudge;
  readonly leaseSeconds: number;
  /** Whether its hosts run the newest version that was applied. */
  readonly isApplied: boolean;
}

export interface HostWorld {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly judge: WholeJudge;
  readonly cores: ReplayedCores;
  readonly configuration: DaemonConfiguration;
  readonly sites: readonly GatewaySite[];
  readonly fleet: Fleet | null;
  trace(line: string): void;
  /** The way to the gateways. */
  fetch(host: DaemonHost, run: DaemonRun, url: URL, init: RequestInit): Promise<Response>;
  starts(host: DaemonHost): void;
}

/** A machine with one daemon. */
export class DaemonHost {
  readonly name: string;
  readonly daemon: ProgramProcess<DaemonApp>;
  readonly operator: DaemonOperator;
  /** How the way from this host to all gateways is broken; null while it is not. */
  isolation: 'refusing' | 'silent' | null = null;
  private readonly machine: DaemonMachine;
  private readonly wall: WallClock = { offMs: 0 };
  private strategyHost: SimulatedStrategyHost | null = null;
  /** The run that was stopped last because it refused a configuration. */
  private restarted: DaemonRun | null = null;

  /** @param number of the host, from 0 */
  constructor(
    readonly number: number,
    private readonly world: HostWorld,
  ) {
    const { time, random, judge } = world;
    this.name = number === 0 ? 'daemon' : `daemon ${number}`;
    const disk = random.fork(`disk of the ${this.name}`);
    const committed = (entries: readonly CommittedEntry[]): void => {
      judge.committed(entries);
      world.fleet?.judge.committedOn(entries);
    };
    this.machine = new DaemonMachine(time, disk, committed, (entries) => judge.found(entries));
    this.daemon = new ProgramProcess<DaemonApp>({
      ...{ name: this.name, time },
      trace: (line) => world.trace(line),
      boot: (run) => this.boot(run),
      ended: (run, crash) => {
        this.machine.crash(crash);
        for (const { way } of world.sites) way.leave(run.life);
      },
      failedToStart: () => undefined,
    });
    this.operator = new DaemonOperator({
      ...{ daemon: this.daemon, machine: this.machine, asks: judge.asks, sites: world.sites },
      trace: (line) => world.trace(line),
    });
  }

  /** A number of a run, unlike that of every other run of any host. */
  numberOf(run: DaemonRun): number {
    return hostRun(this.number, run.number);
  }

  /** The time of this host's clock, milliseconds since the epoch. */
  get wallMs(): number {
    return this.world.time.nowMs + this.wall.offMs;
  }

  /** How far this host's clock is off, in milliseconds. */
  get wallOffMs(): number {
    return this.wall.offMs;
  }

  /** Whether this host is the newest holder of a strategy's lease. */
  runs(strategy: string): boolean {
    const { fleet } = this.world;
    const leases = this.daemon.run?.app?.daemon.units?.leases ?? [];
    if (!fleet) return true;
    const lease = leases.find(({ fence }) => fence.name === unitOf(strategy));
    return lease !== undefined && fleet.judge.isNewest(lease.fence);
  }

  /** Units whose leases permit entries here now. */
  get permitted(): readonly string[] {
    const { run } = this.daemon;
    if (!run?.app || run.life.paused) return [];
    const leases = run.app.daemon.units?.leases ?? [];
    return leases.filter(({ entryProblem }) => entryProblem === null).map(({ fence }) => fence.name);
  }

  /** The version of the configuration that runs here as a whole; null: a part of it may not, or it is that of a file. */
  versionOf(run: DaemonRun): number | null {
    const configuration = run.app?.daemon.configuration;
    const isWhole = (configuration?.lastReload?.outcome ?? 'applied') === 'applied';
    return isWhole ? (configuration?.version ?? null) : null;
  }

  /** Stops a run that refuses the configuration; the next one starts soon. */
  restartIfRefused(): void {
    const { run } = this.daemon;
    if (!run?.app?.daemon.configuration.hasRefused || run === this.restarted) return;
    this.restarted = run;
    this.stop(restartMs);
  }

  take(action: DaemonAction): void {
    const { judge, time, configuration } = this.world;
    switch (action.kind) {
      case 'kill':
        return this.daemon.killNow(action);
      case 'kill at':
        return this.daemon.killAt(action.order, action);
      case 'stop':
        return this.stop(action.downMs);
      case 'pause':
        judge.paused(action.ms);
        return this.daemon.pause(action.ms);
      case 'wall clock':
        this.wall.offMs += action.byMs;
        return;
      case 'disk':
        if (action.fault === 'slow') judge.slow(action.ms);
        else this.world.fleet?.judge.diskFails(this.number);
        this.machine.strike(action.fault);
        return void time.schedule(action.ms, () => this.machine.clear());
      case 'lose thread':
        return this.strategyHost?.lose(action.which);
      case 'reload':
        // Strategy files are on the hosts; the rest is in the database.
        if (!this.world.fleet?.isApplied || action.change === 'text') {
          configuration.change(action.change, action.which);
        }
        return this.operator.reload();
      case 'resume':
        return this.operator.resume(action.which);
      case 'flatten':
        return this.operator.flatten(action.which);
      case 'settle':
        return this.operator.settle();
      case 'isolation':
        this.isolation = action.silent ? 'silent' : 'refusing';
        if (this.daemon.run) for (const { way } of this.world.sites) way.cutStreamsOf(this.daemon.run.life);
        return void time.schedule(action.ms, () => (this.isolation = null));
    }
  }

  /** From now on nothing goes wrong. */
  calm(): void {
    this.daemon.spare();
    this.machine.clear();
    this.isolation = null;
    this.world.fleet?.database.clear();
    this.daemon.start();
    // Fences are raised for other magic numbers by a restart only, as the refusal says.
    this.operator.reload(() => {
      if (this.world.fleet) this.stop(restartMs);
    });
  }

  /** As SIGTERM does; the next run starts later. */
  private stop(downMs: number): void {
    const { run } = this.daemon;
    if (!run?.app) return;
    this.world.trace(`${this.name} run ${run.number} is stopped`);
    const end = (): void => {
      if (this.daemon.run === run) this.daemon.killNow({ downMs, crash: 'process' });
    };
    void run.app.daemon.stop().then(end);
    this.world.time.schedule(stopWithinMs, end);
  }

  private async boot(run: DaemonRun): Promise<DaemonApp> {
    const { configuration, fleet } = this.world;
    this.world.starts(this);
    const settings = readDaemonSettings(
      fleet
        ? {
            DAEMON_DATABASE_URL: 'postgres://simulated@localhost/trading',
            DAEMON_HOST_NAME: `host-${this.number}`,
            DAEMON_LEASE_SECONDS: String(fleet.leaseSeconds),
          }
        : {},
    );
    const readText = (name: string, text: string): DaemonFile =>
      readVersion(name, text, this.number, this.world.time.elapsedMs);
    const start = {
      ...{ settings, configured: configuration, stateDir: daemonStateDir, host: '127.0.0.1' },
      readText: fleet?.isApplied ? readText : null,
    };
    const app = await createDaemon(start, pino({ level: 'silent' }), this.edge(run));
    await app.control.init();
    await app.control.getHttpAdapter().getInstance().ready();
    await app.daemon.verifyGateways();
    await app.daemon.openPorts();
    void app.daemon.deploy();
    return app;
  }

  private edge(run: DaemonRun): DaemonEdge {
    const { time, judge, configuration, random, cores, fleet } = this.world;
    const clock = new InstanceClock(time, run.life, this.wall);
    this.strategyHost = new SimulatedStrategyHost(clock, configuration, {
      began: (strategy, state) => {
        if (this.runs(strategy)) judge.began(strategy, state);
      },
      decided: (strategy, event, { intents, state }, view) => {
        if (this.runs(strategy)) {
          const problems = enteredUnseeing(strategy, intents, view, this.heldBy(strategy));
          judge.report('a strategy that enters sees what it holds', problems);
        }
        const barClosedMs = event.type === 'bar' ? this.closedMs(strategy, event.bar) : null;
        judge.decided(strategy, intents, { barClosedMs, barMs, state });
        fleet?.judge.decides(strategy, intents);
      },
    });
    const ofHost = this.number === 0 ? '' : ` of host ${this.number}`;
    const names = random.fork(`session ${run.number}${ofHost}`);
    return {
      clock,
      ...this.machine.edge(run.calls),
      network: {
        fetch: (url, init) => this.world.fetch(this, run, new URL(url), init),
        setTimer: (delayMs, act) => clock.setTimer(delayMs, act),
      },
      strategies: this.strategyHost,
      recordings: cores,
      openDatabase: (options) =>
        fleet ? fleet.database.connect(run, this.numberOf(run), options) : Promise.reject(new Error('no database')),
      ports: () => ({ open: () => Promise.resolve(), close: () => undefined }),
      newSession: () => names.bytes(8).toString('hex'),
    };
  }

  /** The positions of a strategy, as the brokers have them. */
  private heldBy(strategy: string): readonly HeldPosition[] {
    const spec = this.operator.strategies.find(({ spec: { name } }) => name === strategy)?.spec;
    const traded = new Set(spec?.streams.map(({ broker }) => broker));
    return this.world.sites.flatMap(({ name: gateway, broker: { book, isNetting } }) => {
      const open = traded.has(gateway) ? [...book.positions.values()] : [];
      return open.filter(({ magic }) => magic === spec?.magic).map((held) => ({ ...held, gateway, isNetting }));
    });
  }

  /** When a bar of a strategy's stream closed, in virtual milliseconds. */
  private closedMs(strategy: string, { stream, symbol, timeMs }: Bar): number {
    const { sites, time } = this.world;
    const streams = this.operator.strategies.find(({ spec }) => spec.name === strategy)?.spec.streams ?? [];
    const broker = streams.find(({ alias }) => alias === stream)?.broker;
    const site = sites.find(({ name }) => name === broker);
    const closeMs = barClosedMs(timeMs, barMs, (fromMs) => site?.broker.nextPriceMs(symbol, fromMs) ?? fromMs);
    return closeMs - time.startMs;
  }
}
