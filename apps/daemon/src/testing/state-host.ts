import { SystemClock, type VirtualClock } from '@libs/clock';
import { LeaseTable, PostgresStore, type SqlDatabase, type Statement } from '@libs/postgres';
import { SimulatedDisk } from '@libs/simulated-disk';
import type { SimulatedPostgres } from '@libs/simulated-postgres';
import type { Change, IntentRecord } from '../core/records';
import { ExitJournal } from '../state/exit-journal';
import { StateStore, stateTables } from '../state/state-store';
import type { UnitState } from '../state/unit-state';
import { UnitStates } from '../state/unit-states';

/** An exit of the strategy `trend`. */
export const exitIntent = (key: string, changes: Partial<IntentRecord> = {}): IntentRecord => ({
  ...{ key, strategy: 'trend', broker: 'demo', intentId: key, stream: 'eur', symbol: 'EURUSD', ticket: 7 },
  ...{ call: { method: 'POST', path: '/close_position' }, isEntry: false, createdAtMs: 0, state: 'open' },
  ...{ outcome: null, ...changes },
});

interface HeldUnit {
  readonly token: number;
  readonly store: StateStore;
}

/** A host of a fleet that has one unit: its state, its disk, and a way to the server that may be cut. */
export class StateHost {
  states = new UnitStates(() => ['trend']);
  isCut = false;
  private readonly table: LeaseTable;
  private readonly database: SqlDatabase;

  constructor(
    private readonly id: string,
    private readonly server: SimulatedPostgres,
    private readonly clock: VirtualClock,
    readonly disk = new SimulatedDisk(new SystemClock(), () => 0.5),
  ) {
    const direct = server.connect();
    this.database = {
      ...direct,
      query: <Row extends object>(statement: Statement) =>
        this.isCut ? Promise.reject(new Error('no connection')) : direct.query<Row>(statement),
    };
    this.table = new LeaseTable(this.database, { id, name: id, capacity: 1, labels: [] }, 10);
    this.states.keepExits(ExitJournal.open('/state', this.disk.view.stores));
  }

  /** Takes the unit, whose last lease has ended. */
  async take(): Promise<void> {
    this.states.add(await this.prepare(await this.hold()));
  }

  prepare({ token, store }: HeldUnit): Promise<UnitState> {
    return this.states.prepare('trend', token, store);
  }

  /** Takes the lease, and reads the state. */
  async hold(): Promise<HeldUnit> {
    await this.clock.advance(11);
    await this.table.announce(['trend']);
    const [lease] = await this.table.take(['trend'], 1);
    if (!lease) throw new Error('not free');
    const store = await PostgresStore.open(this.database, { name: 'the state', lease }, stateTables);
    return { token: lease.token, store: StateStore.over(store, this.clock) };
  }

  /** As a strategy writes. */
  write(change: Change): Promise<void> {
    return this.states.of('trend').write(change);
  }

  /** The program is killed; another start on the same disk. */
  killed(): StateHost {
    this.disk.crash('power');
    return new StateHost(this.id, this.server, this.clock, this.disk);
  }

  get open(): string[] {
    return this.states.openIntents('trend').map(({ key }) => key);
  }
}
