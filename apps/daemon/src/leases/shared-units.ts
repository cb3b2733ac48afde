import type { Clock, Timer } from '@libs/clock';
import type { GatewayFences } from '@libs/gateway-client';
import {
  appliedPayload,
  ConfigurationTable,
  HostReports,
  LeaseTable,
  PostgresStore,
  type Holder,
  type FleetDatabase,
} from '@libs/postgres';
import type { Logger } from 'pino';
import type { StrategySpec } from '../core/strategy-spec';
import type { DaemonFile } from '../daemon-file/daemon-file';
import { DaemonFileError } from '../daemon-file/daemon-file-error';
import type { Shutdown } from '../shutdown';
import { StateStore, stateTables, type StrategyState } from '../state/state-store';
import { UnitStates } from '../state/unit-states';
import type { PreparedUnit, TokenRaiser } from './keeper-options';
import { LeaseKeeper } from './lease-keeper';
import type { Unplaced } from './placement';
import { PublishedReports } from './published-reports';
import { raiseFences } from './raise-fences';
import type { UnitLease } from './unit-lease';
import { fencedMagics, magicKeysOf, magicsOf, partOf, unitOf, unitsOf, type Unit } from './units';

export interface SharedUnitsOptions {
  readonly database: FleetDatabase;
  readonly holder: Holder;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What the units need of the daemon. */
export interface UnitSurroundings {
  readonly shutdown: Shutdown;
  /** The fences of a configured gateway. @throws Error for one that is not */
  readonly fencesOf: (gateway: string) => Pick<GatewayFences, 'find' | 'raise'>;
  /** Called when a unit may start here, or must stop. */
  readonly onChange: () => void;
  /** Called when a version of the configuration was applied. */
  readonly onNotified: () => void;
}

/**
 * Decides which units of the configuration run on this host. A unit may run once the host holds its lease, then has raised
 * its fences on all its gateways, and then has read its state.
 */
export class SharedUnits {
  readonly state = new UnitStates(() => [...this.file.strategies, ...this.file.portfolios].map(({ name }) => name));
  /** The reports that the hosts publish. */
  readonly reports: PublishedReports;
  /** Versions of the configuration that were applied. */
  readonly configurations: ConfigurationTable;
  private readonly table: LeaseTable;
  private file: DaemonFile = { gateways: [], strategies: [], portfolios: [] };
  private fileVersion: number | null = null;
  /** Units that this host has taken, as configured then: their fences were raised for these magic numbers. */
  private readonly fenced = new Map<string, Unit>();
  private keeper: LeaseKeeper | null = null;
  private endListening: (() => void) | null = null;
  private listenTimer: Timer | null = null;
  private hasEnded = false;

  constructor(private readonly options: SharedUnitsOptions) {
    const { database, holder, leaseMs, logger } = options;
    this.table = new LeaseTable(database, holder, leaseMs);
    this.configurations = new ConfigurationTable(database);
    this.reports = new PublishedReports(new HostReports(database), holder.id, logger);
  }

  get host(): string {
    return this.options.holder.name;
  }

  /** Why the leases could not be renewed at the last attempt; null if they were. */
  get problem(): string | null {
    return this.keeper?.problem ?? null;
  }

  get counts(): LeaseKeeper['counts'] {
    return this.keeper?.counts ?? { taken: 0, lost: 0, given: 0 };
  }

  /** Whether an operator has asked this host to give its units away. */
  get isDraining(): boolean {
    return this.keeper?.isDraining ?? false;
  }

  get labels(): readonly string[] {
    return this.options.holder.labels;
  }

  /** Units of the fleet that run on no host, and that no running host may take. */
  get unplaced(): readonly Unplaced[] {
    return this.keeper?.unplaced ?? [];
  }

  /** Units that must leave this host but cannot, with the reason. */
  get stuck(): LeaseKeeper['stuck'] {
    return this.keeper?.stuck ?? [];
  }

  /** Exits in the journal of this host that are not in the database yet. */
  get keptExits(): number {
    return this.state.keptExits;
  }

  get leases(): readonly UnitLease[] {
    return this.keeper?.leases ?? [];
  }

  /**
   * Takes over a configuration.
   * @param version of one that is in the database
   * @throws DaemonFileError when a unit that is held here would trade with other magic numbers or gateways: no fences are
   * raised for them
   */
  configure(file: DaemonFile, version?: number): void {
    const next = new Map(unitsOf(file).map((unit) => [unit.name, fencedMagics(unit)]));
    // Includes units that are being prepared: their fences are raised already, or will be.
    const held = new Set(this.leases.filter(({ endReason }) => endReason === null).map(({ fence }) => fence.name));
    const problems = unitsOf(this.file)
      .filter((unit) => held.has(unit.name) && next.has(unit.name))
      .filter((unit) => next.get(unit.name) !== fencedMagics(unit))
      .map(
        ({ name }) => `${name}: gateways and magic numbers cannot change while its lease is held: restart the daemon`,
      );
    if (problems.length > 0) throw new DaemonFileError('configuration', problems);
    this.file = file;
    this.fileVersion = version ?? null;
  }

  /** Leases that have ended while their units have not stopped yet. */
  get ended(): readonly UnitLease[] {
    return this.leases.filter(({ endReason }) => endReason !== null);
  }

  /** Units to be stopped in an orderly way and then given to other hosts. */
  get leaving(): readonly string[] {
    return this.leases.filter(({ isLeaving }) => isLeaving).map(({ fence }) => fence.name);
  }

  /** Ends the lease of a leaving unit, when it has stopped or the time for that is over. */
  handedOver(unit: string): void {
    this.keeper?.handedOver(unit);
  }

  /** Leases of units that the configuration lacks. */
  get unconfigured(): readonly UnitLease[] {
    const names = new Set(unitsOf(this.file).map(({ name }) => name));
    return this.leases.filter(({ fence }) => !names.has(fence.name));
  }

  /** The whole configuration that was taken over last. */
  get configuration(): DaemonFile {
    return this.file;
  }

  /** All strategies of the configuration, also those on other hosts. */
  get strategies(): readonly StrategySpec[] {
    return this.file.strategies;
  }

  /** The part of the configuration that runs here now. */
  get part(): DaemonFile {
    const names = unitsOf(this.file).map(({ name }) => name);
    return partOf(this.file, new Set(names.filter((name) => this.keeper?.leaseOf(name))));
  }

  /** Whether a strategy may run here now. */
  runsHere(spec: StrategySpec): boolean {
    return Boolean(this.keeper?.leaseOf(unitOf(spec)));
  }

  /** Ends the lease of a unit because one of its strategies cannot run here. */
  giveUp(spec: StrategySpec, problem: string): void {
    this.keeper?.giveUp(unitOf(spec), problem);
  }

  /** The lease that a strategy runs under. @throws Error when it must not run here */
  leaseOf(spec: StrategySpec): UnitLease {
    const lease = this.keeper?.leaseOf(unitOf(spec));
    if (!lease) throw new Error(`${spec.name} does not run on this host`);
    return lease;
  }

  /** The state of a unit under its present lease. @throws StateReadError when it must not run here */
  stateOf(unit: string): StrategyState {
    return this.state.of(unit);
  }

  /** Begins to take leases. */
  start(around: UnitSurroundings): void {
    const { clock, logger, leaseMs, holder } = this.options;
    this.keeper = new LeaseKeeper({
      table: this.table,
      clock,
      logger,
      leaseMs,
      id: holder.id,
      capacity: holder.capacity,
      shutdown: around.shutdown,
      onChange: around.onChange,
      units: () => this.placeable,
      // A later version that is not taken over yet may remove a unit, or change its limits.
      version: () => this.fileVersion,
      prepare: (lease, raiser) => this.prepare(lease, raiser, around),
      discard: async (unit) => {
        await this.state.remove(unit);
        this.fenced.delete(unit);
      },
    });
    this.keeper.start();
    void this.listen(around);
  }

  /** Releases the leases of units that have stopped here, unless another host has taken them. */
  async stopped(leases: readonly UnitLease[]): Promise<void> {
    for (const lease of leases) await this.keeper?.stopped(lease);
  }

  /** Takes no more leases; those that are held are renewed until {@link end}. */
  drain(): void {
    this.keeper?.drain();
  }

  /** Releases all leases, so that other hosts take them at once, and ends the connections. All units must have stopped. */
  async end(): Promise<void> {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.listenTimer?.cancel();
    this.endListening?.();
    await this.keeper?.end();
    await this.options.database.close();
  }

  /** The configured units, without those that need a magic number of a unit that still runs here, as after a rename. */
  private get placeable(): readonly Unit[] {
    const held = new Set(this.leases.map(({ fence }) => fence.name));
    const fenced = [...held].flatMap((name) => this.fenced.get(name) ?? []);
    const occupied = new Set(fenced.flatMap(magicKeysOf));
    return unitsOf(this.file).filter(
      (unit) => held.has(unit.name) || !magicKeysOf(unit).some((key) => occupied.has(key)),
    );
  }

  /** Raises the fences, then reads the state: an earlier holder can no longer trade, and all that it wrote is read. */
  private async prepare(lease: UnitLease, raiser: TokenRaiser, around: UnitSurroundings): Promise<PreparedUnit> {
    const { clock, database } = this.options;
    const { name } = lease.fence;
    const unit = unitsOf(this.file).find((one) => one.name === name);
    if (!unit) throw new Error(`${name} is no longer configured`);
    this.fenced.set(name, unit);
    const gateways = [...magicsOf(unit)].map(([gateway, magics]) => {
      return { name: gateway, magics, fences: around.fencesOf(gateway) };
    });
    const raiseAbove = (_lease: unknown, stored: number) => raiser.raiseAbove(lease, stored);
    const raised = await raiseFences(lease.fence, gateways, { clock, raiseAbove });
    const options = { name: `the state of ${name}`, lease: raised };
    const store = StateStore.over(await PostgresStore.open(database, options, stateTables), clock);
    const state = await this.state.prepare(name, raised.token, store);
    return { admit: () => this.state.add(state), close: () => store.close() };
  }

  /** Listens for releases. If a notification is missed, the next round finds the lease. */
  private async listen(around: UnitSurroundings): Promise<void> {
    const { database, clock, leaseMs } = this.options;
    const again = (): void => {
      this.endListening = null;
      this.listenTimer?.cancel();
      if (!this.hasEnded) this.listenTimer = clock.setTimer(leaseMs, () => void this.listen(around));
    };
    const onNotified = (payload: string): void => {
      void this.keeper?.round();
      // A host that stops releases many leases, each with a notification.
      if (payload === appliedPayload) around.onNotified();
    };
    try {
      const end = await database.listen(onNotified, again);
      if (this.hasEnded) return end();
      this.endListening = end;
    } catch {
      again();
    }
  }
}
