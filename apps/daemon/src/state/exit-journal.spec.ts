import { SystemClock, VirtualClock } from '@libs/clock';
import { LeaseTable, PostgresStore, type SqlDatabase, type Statement } from '@libs/postgres';
import { SimulatedDisk } from '@libs/simulated-disk';
import { SimulatedPostgres } from '@libs/simulated-postgres';
import { blankRecord, type Change, type IntentRecord } from '../core/records';
import { ExitJournal } from './exit-journal';
import { StateStore, stateTables } from './state-store';
import type { UnitState } from './unit-state';
import { UnitStates } from './unit-states';

const intent = (key: string, changes: Partial<IntentRecord> = {}): IntentRecord => ({
  ...{ key, strategy: 'trend', broker: 'demo', intentId: key, stream: 'eur', symbol: 'EURUSD', ticket: 7 },
  ...{ call: { method: 'POST', path: '/close_position' }, isEntry: false, createdAtMs: 0, state: 'open' },
  ...{ outcome: null, ...changes },
});

interface Held {
  readonly token: number;
  readonly store: StateStore;
}

/** A host with its disk, and a connection to the server that a test can cut. */
class Host {
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

  /** Takes the unit after its last lease has ended. */
  async take(): Promise<void> {
    this.states.add(await this.prepare(await this.hold()));
  }

  prepare({ token, store }: Held): Promise<UnitState> {
    return this.states.prepare('trend', token, store);
  }

  /** Takes the lease, and reads the state. */
  async hold(): Promise<Held> {
    await this.clock.advance(11);
    await this.table.announce(['trend']);
    const [lease] = await this.table.take(['trend'], 1);
    if (!lease) throw new Error('not free');
    const store = await PostgresStore.open(this.database, { name: 'the state', lease }, stateTables);
    return { token: lease.token, store: StateStore.over(store, this.clock) };
  }

  /** Writes as a strategy does. */
  write(change: Change): Promise<void> {
    return this.states.of('trend').write(change);
  }

  /** Kills the program. @returns its next start, on the same disk */
  killed(): Host {
    this.disk.crash('power');
    return new Host(this.id, this.server, this.clock, this.disk);
  }

  get open(): string[] {
    return this.states.openIntents('trend').map(({ key }) => key);
  }
}

describe('an exit that the database did not take', () => {
  let first: Host;
  let second: Host;
  beforeEach(async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 7));
    const server = new SimulatedPostgres(clock);
    first = new Host('first', server, clock);
    second = new Host('second', server, clock);
    await first.take();
    await first.states.write({ strategy: blankRecord('trend') });
  });
  const refused = async (host: Host, ...intents: IntentRecord[]): Promise<void> => {
    host.isCut = true;
    await expect(host.write({ intents })).rejects.toThrow('no connection');
    host.isCut = false;
  };

  it('is written with the next change, and an entry is not', async () => {
    await refused(first, intent('exit'), intent('entry', { isEntry: true }));
    expect(first.open).toEqual([]);
    await first.write({ intents: [intent('next')] });
    expect(first.open.sort()).toEqual(['exit', 'next']);
  });

  it('is written once: a second merge does not replace its outcome', async () => {
    await refused(first, intent('exit'));
    await first.write({ intents: [intent('exit', { state: 'done', outcome: 'filled' })] });
    await refused(first, intent('exit'));
    const again = first.killed();
    await again.take();
    expect(again.open).toEqual([]);
    expect(again.states.recordsOf('trend').intents).toMatchObject([{ key: 'exit', state: 'done' }]);
  });

  it('is kept by a host that is killed, and merged when this host takes the unit again after another one', async () => {
    await refused(first, intent('exit'));
    const back = first.killed();
    await second.take();
    expect(second.open).toEqual([]);
    await second.write({ intents: [intent('of the second')] });
    await back.take();
    expect(back.open.sort()).toEqual(['exit', 'of the second']);
    const again = back.killed();
    await again.take();
    expect(again.open.sort()).toEqual(['exit', 'of the second']);
  });

  it('is merged before the next write under the same lease, whichever part of the daemon makes it', async () => {
    await refused(first, intent('exit'));
    await first.states.write({ strategy: blankRecord('trend') });
    expect(first.open).toEqual(['exit']);
  });

  it('stays kept when the unit cannot be prepared', async () => {
    await refused(first, intent('exit'));
    const back = first.killed();
    const held = await back.hold();
    await second.take();
    await expect(back.prepare(held)).rejects.toThrow('was taken by another holder');
    await back.take();
    expect(back.open).toEqual(['exit']);
  });

  it('is not kept by a host that was replaced: its request is refused by the fence', async () => {
    await second.take();
    await expect(first.write({ intents: [intent('exit')] })).rejects.toThrow('was taken by another holder');
    const back = first.killed();
    await back.take();
    expect(back.open).toEqual([]);
  });

  it('fails if the disk of the host cannot be written either', async () => {
    first.disk.setReadOnly(true);
    first.isCut = true;
    await expect(first.write({ intents: [intent('exit')] })).rejects.toThrow(
      /no connection; nor is the exit kept on this host: Read-only/,
    );
    first.isCut = false;
    first.disk.setReadOnly(false);
    await first.write({ intents: [intent('next')] });
    expect(first.open).toEqual(['next']);
  });
});
