import { ChaosBroker } from '../chaos/chaos-broker';
import { strategyFile, type DaemonProgram } from '../e2e/daemon/daemon-program';
import { beginsExit, FleetHosts } from '../e2e/daemon/fleet-rig';
import { DatabaseWay } from '../e2e/programs/database-way';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { GatewayWay, type LateAnswer } from '../e2e/programs/gateway-way';
import { fastMarket } from '../e2e/programs/markets';
import { PostgresServer } from '../e2e/programs/postgres';
import type { Scratch } from '../e2e/programs/scratch';
import { waitUntil } from '../e2e/programs/waits';

/** Has one position or none: whatever is sent twice is a second one, or a close of nothing. */
const body = `if (trade.warmingUp || trade.inFlight > 0) return;
  const [open] = trade.positions();
  if (open) trade.close(open); else trade.buy('main', { volume: 0.1 });`;

const names = ['one', 'two'] as const;
/** What befalls the host that trades, or its database. */
export const kinds = [
  ...(['kill -9', 'SIGSTOP', 'partition', 'database', 'SIGTERM'] as const),
  ...(['gateway', 'gateway, then partition', 'partition, then gateway'] as const),
] as const;
type Kind = (typeof kinds)[number];
/** Both ways of a host are cut: to its gateway, and to the database. */
export const isolations: readonly Kind[] = ['gateway, then partition', 'partition, then gateway'];
const leaseSeconds = 3;
/** In milliseconds. */
const longerThanLease = 1_500 * leaseSeconds;

/** What the drill reads of `GET /health`. */
interface FleetHealth {
  readonly fleet: { readonly leases: readonly { readonly token: number }[] };
}

/** Two daemons, a PostgreSQL server, a gateway and a broker, each a process of its own. */
export class ChaosFleet {
  /** How long another host took to trade, in milliseconds, by what befell the one before. */
  readonly times: { readonly kind: string; readonly ms: number }[] = [];
  /** Requests of hosts that were paused for longer than their leases, sent after that, and refused. */
  refusedAfterPause = 0;
  private readonly running = new Map<string, DaemonProgram>();
  private readonly ways = new Map<string, DatabaseWay>();
  private readonly gatewayWays = new Map<string, GatewayWay>();
  /** Answers to requests that arrived after the next holder had traded. */
  readonly lateAnswers: (LateAnswer & { readonly kind: string })[] = [];

  private constructor(
    readonly hosts: FleetHosts,
    readonly broker: ChaosBroker,
    private readonly server: PostgresServer,
  ) {}

  static async start(scratch: Scratch): Promise<ChaosFleet> {
    const server = PostgresServer.start();
    scratch.undo(() => server.end());
    const { SIM_SPEED = '', ...zone } = fastMarket();
    const broker = await ChaosBroker.start(scratch, { SIM_SPEED });
    const gateway = await GatewayProgram.startReady(scratch, { ...broker.settings, ...zone });
    const module = strategyFile(scratch.folder(), 'probe', body);
    const hosts = new FleetHosts(scratch, server, gateway, [{ name: 'probe', module }], leaseSeconds);
    const fleet = new ChaosFleet(hosts, broker, server);
    for (const name of names) {
      const way = await DatabaseWay.open(scratch, server.socketFolder);
      fleet.ways.set(name, way);
      fleet.hosts.databaseUrls.set(name, server.urlOf('trading_daemon', way.folder));
      const gatewayWay = await GatewayWay.start(scratch, gateway.url);
      fleet.gatewayWays.set(name, gatewayWay);
      fleet.hosts.gatewayUrls.set(name, gatewayWay.url);
      await fleet.boot(name);
    }
    return fleet;
  }

  /** In milliseconds. */
  timesOf(kind: string): readonly number[] {
    return this.times.filter((time) => time.kind === kind).map(({ ms }) => ms);
  }

  /** The host that runs the strategy. */
  async holder(): Promise<string> {
    const askAll = async (): Promise<string | undefined> => {
      for (const name of names) if ((await this.on(name).status('probe')).state === 'running') return name;
      return undefined;
    };
    return (await waitUntil('a host to run the strategy', askAll, (name) => name !== undefined)) ?? '';
  }

  on(name: string): DaemonProgram {
    const daemon = this.running.get(name);
    if (!daemon) throw new Error(`${name} does not run`);
    return daemon;
  }

  /** Something befalls the host that runs the strategy; at the end both hosts run, and one of them trades. */
  async disturb(kind: Kind): Promise<void> {
    const name = await this.holder();
    await this.hosts.untilTrades(this.on(name), 'probe', 1);
    const beganMs = performance.now();
    if (kind === 'database') {
      this.server.halt('immediate');
      this.server.boot();
      await this.hosts.untilTrades(this.on(await this.holder()), 'probe', 1);
    } else if (kind === 'gateway') {
      await this.withoutGateway(name);
      await this.hosts.untilTrades(this.on(name), 'probe', 1);
    } else {
      await this.strike(kind, name);
      await this.hosts.untilTrades(this.on(otherThan(name)), 'probe', 1);
    }
    this.times.push({ kind, ms: performance.now() - beganMs });
    await this.recover(kind, name);
  }

  /** A host that renews its lease keeps the unit, also without its gateway. */
  private async withoutGateway(name: string): Promise<void> {
    const { token } = await this.leaseOf(name);
    this.gatewayWay(name).hold();
    const way = await this.cutOffGateway(name);
    await new Promise((resolve) => setTimeout(resolve, longerThanLease));
    if ((await this.leaseOf(name)).token !== token) throw new Error(`${name} has lost its lease`);
    way.mend();
    await way.deliver();
  }

  /** Cut off from the database first, with a position to close: no other host can know the key of the exit on its way. */
  private async cutOffDatabaseFirst(name: string): Promise<void> {
    const other = this.on(otherThan(name)).program;
    // It would close the position before this host has given up the write of its intent.
    other.signal('SIGSTOP');
    this.gatewayWay(name).holdAfterOrder(() => this.databaseWay(name).cut());
    await this.cutOffGateway(name).finally(() => other.signal('SIGCONT'));
  }

  /** Nothing passes between a host and its gateway, and a request of the host is on its way. */
  private async cutOffGateway(name: string): Promise<GatewayWay> {
    const way = this.gatewayWay(name);
    // Prices still arrive, and it decides on them.
    await waitUntil('a request to be held', () => Promise.resolve(way.heldRequests), Boolean);
    way.cut();
    return way;
  }

  private async leaseOf(name: string): Promise<{ readonly token: number }> {
    const held = ({ fleet }: FleetHealth): boolean => fleet.leases.length === 1;
    const { fleet } = await this.on(name).until<FleetHealth>('/health', held);
    return fleet.leases[0] ?? { token: NaN };
  }

  private gatewayWay(name: string): GatewayWay {
    const way = this.gatewayWays.get(name);
    if (!way) throw new Error(`${name} has no way to the gateway`);
    return way;
  }

  private async strike(kind: Kind, name: string): Promise<void> {
    if (kind === 'gateway, then partition') {
      this.gatewayWay(name).hold();
      await this.cutOffGateway(name);
    }
    if (kind === 'SIGSTOP') await this.pause(name);
    else if (kind === 'partition, then gateway') await this.cutOffDatabaseFirst(name);
    else if (kind === 'partition' || kind === 'gateway, then partition') this.databaseWay(name).cut();
    else if (kind === 'SIGTERM') await this.on(name).stop();
    else await this.on(name).kill();
  }

  /** It sends an exit when it goes on: it is cut off from the database, which would state that its lease is lost. */
  private async pause(name: string): Promise<void> {
    await this.databaseWay(name).cutAt(beginsExit);
    this.on(name).program.signal('SIGSTOP');
  }

  /** @throws Error when what it sends is not refused */
  private async resume(name: string): Promise<void> {
    const refused = this.hosts.fencedOut.length;
    this.on(name).program.signal('SIGCONT');
    await waitUntil(
      'the host that was paused to be refused',
      () => Promise.resolve(this.hosts.fencedOut.length),
      (now) => now > refused,
    );
    this.refusedAfterPause += this.hosts.fencedOut.length - refused;
  }

  private databaseWay(name: string): DatabaseWay {
    const way = this.ways.get(name);
    if (!way) throw new Error(`${name} has no way to the database`);
    return way;
  }

  /** What was paused or cut off goes on, and finds out that it was replaced; what has ended starts again. */
  private async recover(kind: Kind, name: string): Promise<void> {
    if (kind === 'database' || kind === 'gateway') return;
    if (isolations.includes(kind)) {
      const answers = await this.gatewayWay(name).deliver();
      this.lateAnswers.push(...answers.map((answer) => ({ ...answer, kind })));
    }
    if (kind === 'kill -9' || kind === 'SIGTERM') return this.boot(name);
    if (kind === 'SIGSTOP') await this.resume(name);
    this.databaseWay(name).mend();
    if (isolations.includes(kind)) this.gatewayWay(name).mend();
    await this.on(name).until<{ strategies: number }>('/health', ({ strategies }) => strategies === 0);
  }

  private async boot(name: string): Promise<void> {
    const daemon = await this.hosts.start(name);
    this.running.set(name, daemon);
    await daemon.until<{ fleet: { database: string } }>('/health', ({ fleet }) => fleet.database === 'ok');
  }
}

function otherThan(name: string): string {
  return name === 'one' ? 'two' : 'one';
}
