import { VirtualClock } from '@libs/clock';
import { Database, LeaseTable } from '@libs/postgres';
import { pino } from 'pino';
import { LeaseKeeper } from '../leases/lease-keeper';
import type { PlacedUnit } from '../leases/placement';
import type { UnitLease } from '../leases/unit-lease';
import { Shutdown } from '../shutdown';

export const leaseMs = 9_000;

export interface LeasedHostOptions {
  /** Of the database. */
  readonly url: string;
  /** Its id, and its name. */
  readonly id: string;
  readonly units: () => readonly PlacedUnit[];
  readonly capacity?: number;
  readonly labels?: readonly string[];
}

/** A host of a fleet on a clock of its own. Its rounds are those that a test asks for, and nothing runs in its units. */
export class LeasedHost {
  readonly clock = new VirtualClock();
  readonly shutdown = new Shutdown();
  readonly discarded: string[] = [];
  /** What was let run, and what was closed instead: the unit and the token of its lease. */
  readonly admitted: string[] = [];
  readonly closed: string[] = [];
  changes = 0;
  prepare = (_lease: UnitLease): Promise<void> => Promise.resolve();
  readonly keeper: LeaseKeeper;

  private constructor(
    private readonly database: Database,
    private readonly options: LeasedHostOptions,
  ) {
    const { clock, shutdown } = this;
    const { id, units, capacity = 10, labels = [] } = options;
    this.keeper = new LeaseKeeper({
      table: new LeaseTable(database, { id, name: id, capacity, labels }, leaseMs),
      ...{ clock, shutdown, leaseMs, id, capacity, logger: pino({ level: 'silent' }), units },
      prepare: async (lease) => {
        await this.prepare(lease);
        const { name, token } = lease.fence;
        return {
          admit: () => void this.admitted.push(`${name} ${token}`),
          close: () => Promise.resolve(void this.closed.push(`${name} ${token}`)),
        };
      },
      version: () => null,
      discard: (unit) => Promise.resolve(void this.discarded.push(unit)),
      onChange: () => void this.changes++,
    });
  }

  /** Connects, and makes the first round, which takes nothing. */
  static async join(options: LeasedHostOptions): Promise<LeasedHost> {
    const database = await Database.open({ url: options.url, applicationName: options.id, timeoutMs: 1_000 });
    const host = new LeasedHost(database, options);
    await host.keeper.round();
    return host;
  }

  /** Renews and takes, and lets what was taken be prepared. */
  async round(): Promise<void> {
    await this.keeper.round();
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Stops the unit that leaves, as the daemon does. @returns its name */
  async letLeave(): Promise<string | null> {
    const lease = this.keeper.leases.find(({ isLeaving }) => isLeaving);
    if (!lease) return null;
    this.keeper.handedOver(lease.fence.name);
    await this.keeper.stopped(lease);
    return lease.fence.name;
  }

  /** Units that may run here, in the order of the configuration. */
  get held(): string[] {
    return this.options
      .units()
      .map(({ name }) => name)
      .filter((unit) => this.keeper.leaseOf(unit) !== null);
  }

  async close(): Promise<void> {
    await this.database.close();
  }
}
