import { SystemClock, type VirtualClock } from '@libs/clock';
import { LeaseTable, PostgresStore, type FleetDatabase } from '@libs/postgres';
import { SimulatedDisk } from '@libs/simulated-disk';
import type { SimulatedPostgres } from '@libs/simulated-postgres';
import { pino } from 'pino';
import type { Change, IntentRecord } from '../core/records';
import { ExitJournal } from '../state/exit-journal';
import { StateStore, stateTables } from '../state/state-store';
import { type UnitState, UnitStates } from '../state/unit-states';

/** When the hosts of a test begin. */
export const startMs = Date.UTC(2026, 0, 7);

/** An exit of the strategy `trend`. */
export const exitIntent = (key: string, changes: Partial<IntentRecord> = {}): IntentRecord => ({
  ...{ key, strategy: 'trend', broker: 'demo', intentId: key, stream: 'eur', symbol: 'EURUSD', ticket: 7 },
  ...{ call: { method: 'POST', path: '/close_position' }, isEntry: false, state: 'open', outcome: null },
  ...{ createdAtMs: startMs, ...changes },
});

interface HeldUnit {
  readonly token: number;
  readonly store: StateStore;
}

/** A host of a fleet that has one unit: its state, its disk, and a way to the server that may be cut. */
export class StateHost {
  states = new UnitStates(() => ['trend']);
  isCut = false;
  private readonly lines: string[] = [];
  private readonly logger = pino({}, { write: (line: string) => void this.lines.push(line) });
  private readonly table: LeaseTable;
  private readonly database: FleetDatabase;

  constructor(
    private readonly id: string,
    private readonly server: SimulatedPostgres,
    private readonly clock: VirtualClock,
    readonly disk = new SimulatedDisk(new SystemClock(), () => 0.5),
  ) {
    const direct = server.connect();
    this.database = {
      ...direct,
      call: (name, args) => (this.isCut ? Promise.reject(new Error('no connection')) : direct.call(name, args)),
    };
    this.table = new LeaseTable(this.database, { id, name: id, capacity: 1, labels: [] }, 10);
    const { stores } = this.disk.view;
    this.states.keepExits(ExitJournal.open('/state', { stores, clock, logger: this.logger, keepDays: 30 }));
  }

  /** Takes the unit. Its last lease has to have ended. */
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

  /** Messages of its log with the keys of the exits that they are about. */
  get log(): (readonly [text: string, keys: unknown])[] {
    const lines = this.lines.map((line) => JSON.parse(line) as { readonly msg: string; readonly keys?: unknown });
    return lines.map(({ msg, keys }) => [msg, keys]);
  }

  get open(): string[] {
    return this.states.openIntents('trend').map(({ key }) => key);
  }
}
