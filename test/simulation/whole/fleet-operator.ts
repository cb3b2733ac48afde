import { ConfigurationTable, FleetTable } from '@libs/postgres';
import type { SimulatedPostgres } from '@libs/simulated-postgres';
import type { DaemonFile } from '../../../apps/daemon/src/daemon-file/daemon-file';
import { movedMagics } from '../../../apps/daemon/src/leases/units';
import type { VirtualTime } from '../virtual-time';
import { versionText, type DaemonConfiguration, type Refusal } from './daemon-configuration';
import type { DaemonHost } from './daemon-host';
import type { FleetJudge } from './fleet-judge';
import { heldThoughDraining, type PlacedHost } from './invariants/placement';
import type { FleetOrder, FleetPlan } from './whole-steps';

export interface FleetOperatorWorld {
  readonly time: VirtualTime;
  readonly server: SimulatedPostgres;
  readonly plan: FleetPlan;
  readonly configuration: DaemonConfiguration;
  readonly hosts: readonly DaemonHost[];
  readonly judge: FleetJudge;
  trace(line: string): void;
}

/** As `daemon move` does. */
const reservedMs = 30_000;

/** A person at another machine, who reaches the database: moves units, drains hosts and applies configurations. */
export class FleetOperator {
  private readonly fleet: FleetTable;
  private readonly configurations: ConfigurationTable;
  private version = 0;
  private applied: DaemonFile | null = null;

  constructor(private readonly world: FleetOperatorWorld) {
    const connection = world.server.connect();
    this.fleet = new FleetTable(connection);
    this.configurations = new ConfigurationTable(connection);
  }

  /** Before the hosts start. */
  async begin(): Promise<void> {
    if (this.world.plan.isApplied) await this.apply(null);
  }

  take(order: FleetOrder): void {
    void this.carryOut(order);
  }

  /** Applies everything again. */
  async calm(): Promise<void> {
    if (this.world.plan.isApplied) await this.apply(null);
  }

  /** Does what is left to a person while something is not settled. */
  async settle(): Promise<void> {
    const running = await this.running();
    const [first] = running;
    if (first && running.every(({ isDraining }) => isDraining)) await this.fleet.drain(first.name, false);
    // Magic numbers of a unit change by a restart only, as the refusal says.
    for (const host of this.world.hosts) host.restartIfRefused();
  }

  /** What is not settled. */
  async problems(): Promise<readonly string[]> {
    return heldThoughDraining(await this.running());
  }

  private async carryOut(order: FleetOrder): Promise<void> {
    const { configuration, plan, time } = this.world;
    switch (order.kind) {
      case 'move':
        return this.move(order.which, this.nameOf(order.host));
      case 'drain':
        await this.fleet.drain(this.nameOf(order.host), !order.undo);
        return;
      case 'apply': {
        if (!plan.isApplied) return;
        configuration.change(order.change, order.which);
        const { refusedBy, refusedMs } = order;
        await this.apply(refusedBy === null ? null : { host: refusedBy, untilMs: time.elapsedMs + refusedMs });
      }
    }
  }

  private async move(which: number, name: string): Promise<void> {
    const units = (await this.fleet.leases()).map((lease) => lease.name);
    const unit = units[Math.floor(which * units.length)];
    const [target, another] = (await this.fleet.hosts()).filter((host) => host.isRunning && host.name === name);
    // Refused by the command.
    if (unit === undefined || !target || another || target.isDraining) return;
    await this.fleet.reserve(unit, target.id, reservedMs);
  }

  private async apply(refusal: Refusal | null): Promise<void> {
    const { configuration, judge, trace } = this.world;
    const file = configuration.readFile();
    const leases = await this.fleet.leases();
    const held = new Set(leases.filter(({ holder }) => holder !== null).map(({ name }) => name));
    const problems = this.applied ? movedMagics(this.applied, file, held) : [];
    if (problems.length > 0) return trace(`operator: daemon apply is refused: ${problems.join('; ')}`);
    this.version += 1;
    await this.configurations.apply({ version: this.version, text: versionText(file, refusal) });
    this.applied = file;
    judge.applied(this.version, file);
    trace(`operator: version ${this.version} of ${file.strategies.map(({ name }) => name).join(', ')} is applied`);
  }

  /** A plan may have been made for more hosts. */
  private nameOf(host: number): string {
    return `host-${host % this.world.hosts.length}`;
  }

  private async running(): Promise<readonly PlacedHost[]> {
    const leases = await this.fleet.leases();
    const hosts = (await this.fleet.hosts()).filter(({ isRunning }) => isRunning);
    return hosts.map(({ id, name, isDraining }) => {
      return { name, isDraining, units: leases.filter(({ holder }) => holder === id).map((lease) => lease.name) };
    });
  }
}
