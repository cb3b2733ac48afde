import { DealEntry } from '@libs/trade-constants';
import type { TradeDeal } from '@libs/terminal-client';
import { ChaosBroker } from '../chaos/chaos-broker';
import { strategyFile, type DaemonProgram } from '../e2e/daemon/daemon-program';
import { FleetHosts, holdersInTurn } from '../e2e/daemon/fleet-rig';
import { DatabaseWay } from '../e2e/programs/database-way';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { fastMarket } from '../e2e/programs/markets';
import { describeWithPostgres, PostgresServer } from '../e2e/programs/postgres';
import { Scratch } from '../e2e/programs/scratch';
import { waitUntil } from '../e2e/programs/waits';
import { effort } from '../setup/effort';
import { testSeed } from '../setup/test-seed';

jest.setTimeout(3_600_000);

/** Has one position or none: whatever is sent twice is a second one, or a close of nothing. */
const body = `if (trade.warmingUp || trade.inFlight > 0) return;
  const [open] = trade.positions();
  if (open) trade.close(open); else trade.buy('main', { volume: 0.1 });`;

const disturbances = Number(process.env['CHAOS_FLEET'] ?? effort(5, 50));
/** In seconds since the epoch: the market runs ahead of the clock. */
const farAhead = 4_102_444_800;
const names = ['one', 'two'] as const;
const kinds = ['kill -9', 'SIGSTOP', 'partition', 'database', 'SIGTERM'] as const;

/** Two daemons, a PostgreSQL server, a gateway and a broker, each a process of its own. */
class ChaosFleet {
  /** How long another host took to trade, in milliseconds, by what befell the one before. */
  readonly times: { readonly kind: string; readonly ms: number }[] = [];
  private readonly running = new Map<string, DaemonProgram>();
  private readonly ways = new Map<string, DatabaseWay>();

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
    const fleet = new ChaosFleet(new FleetHosts(scratch, server, gateway, [{ name: 'probe', module }]), broker, server);
    for (const name of names) {
      const way = await DatabaseWay.open(scratch, server.socketFolder);
      fleet.ways.set(name, way);
      fleet.hosts.databaseUrls.set(name, server.urlOf('trading_daemon', way.folder));
      await fleet.boot(name);
    }
    return fleet;
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
  async disturb(kind: (typeof kinds)[number]): Promise<void> {
    const name = await this.holder();
    await this.hosts.untilTrades(this.on(name), 'probe', 1);
    const beganMs = performance.now();
    if (kind === 'database') {
      this.server.halt('immediate');
      this.server.boot();
      await this.hosts.untilTrades(this.on(await this.holder()), 'probe', 1);
    } else {
      await this.strike(kind, name);
      await this.hosts.untilTrades(this.on(otherThan(name)), 'probe', 1);
    }
    this.times.push({ kind, ms: performance.now() - beganMs });
    await this.recover(kind, name);
  }

  private async strike(kind: (typeof kinds)[number], name: string): Promise<void> {
    if (kind === 'SIGSTOP') this.on(name).program.signal('SIGSTOP');
    else if (kind === 'partition') this.ways.get(name)?.cut();
    else if (kind === 'SIGTERM') await this.on(name).stop();
    else await this.on(name).kill();
  }

  /** What was paused or cut off goes on, and finds out that it was replaced; what has ended starts again. */
  private async recover(kind: (typeof kinds)[number], name: string): Promise<void> {
    if (kind === 'database') return;
    if (kind === 'kill -9' || kind === 'SIGTERM') return this.boot(name);
    if (kind === 'SIGSTOP') this.on(name).program.signal('SIGCONT');
    else this.ways.get(name)?.mend();
    await this.on(name).until<{ strategies: number }>('/health', ({ strategies }) => strategies === 0);
  }

  private async boot(name: string): Promise<void> {
    const daemon = await this.hosts.start(name);
    this.running.set(name, daemon);
    await daemon.until<{ fleet: { database: string } }>('/health', ({ fleet }) => fleet.database === 'ok');
  }
}

describeWithPostgres('a fleet under load', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it(`sends nothing twice, and has the ledger of the broker, over ${disturbances} kills, pauses, partitions and outages`, async () => {
    const fleet = await ChaosFleet.start(scratch);
    for (let number = 0; number < disturbances; number++) {
      const kind = kinds[(testSeed() + number) % kinds.length] ?? 'kill -9';
      await fleet.disturb(kind);
    }
    const { hosts, broker } = fleet;
    const holder = fleet.on(await fleet.holder());
    await hosts.gateway.call('/kill', { method: 'POST' });
    const status = await holder.untilStatus('probe', ({ orders }) => orders.blocked >= 1 && orders.inFlight === 0);
    // Of the broker itself, past the gateway and the daemons.
    const lists = await broker.look(async (terminal) => ({
      positions: await terminal.positionsGet(),
      deals: await terminal.historyDealsGet({ from: 0, to: farAhead }),
    }));
    const trades = lists.deals.filter(({ entry, type }) => type <= 1 && entry !== DealEntry.INOUT);
    process.stdout.write(summaryOf(fleet, trades));
    expect(status.positions.map(({ ticket }) => ticket)).toEqual(lists.positions.map(({ ticket }) => ticket));
    expect(status.realized.toFixed(6)).toBe(resultOf(trades).toFixed(6));
    expect(trades.map(({ entry }) => entry)).toEqual(trades.map((_, index) => index % 2));
    expect(new Set(hosts.sentKeys).size).toBe(hosts.sentKeys.length);
    expect(holdersInTurn(hosts.sentUnder)).not.toBeNull();
    expect(trades.length).toBeGreaterThan(disturbances);
  });
});

function otherThan(name: string): string {
  return name === 'one' ? 'two' : 'one';
}

/** In the account's currency. */
function resultOf(deals: readonly TradeDeal[]): number {
  return deals.reduce((sum, { profit, commission, swap, fee }) => sum + profit + commission + swap + fee, 0);
}

function summaryOf({ times, hosts }: ChaosFleet, trades: readonly TradeDeal[]): string {
  const lines = kinds.flatMap((kind) => {
    const all = times.filter((time) => time.kind === kind).map(({ ms }) => ms / 1_000);
    return all.length === 0
      ? []
      : [`${kind}: ${all.length} times, at most ${Math.max(...all).toFixed(1)} s to a trade`];
  });
  return `${lines.join('\n')}\n${hosts.sentKeys.length} requests sent, ${trades.length} deals\n`;
}
