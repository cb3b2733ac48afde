import {
  ConfigurationTable,
  FleetTable,
  HostReports,
  LeaseTable,
  type Entry,
  type FleetDatabase,
  type Lease,
} from '@libs/postgres';

const minuteMs = 60_000;

/** A server that the contract is held against. */
export interface FleetSubject {
  connect(): Promise<FleetDatabase>;
  /** Removes all leases with their states, hosts and configurations. */
  empty(): void | Promise<void>;
  /** Makes every host one that was seen longer ago. */
  pass(ms: number): void | Promise<void>;
}

/** What hosts show of themselves, and what operators ask of them, on every server. */
export function fleetTablesContract(subjectOf: () => FleetSubject): void {
  let subject: FleetSubject;
  let database: FleetDatabase;
  beforeEach(async () => {
    subject = subjectOf();
    database = await subject.connect();
    await subject.empty();
  });
  afterEach(() => database.close());
  const tableOf = (id: string, leaseMs = minuteMs): LeaseTable =>
    new LeaseTable(database, { id, name: `host-${id}`, capacity: 10, labels: ['fast'] }, leaseMs);
  /** Listens. @returns resolves to the payloads of the first two notifications, which may come after their statement */
  const notifications = async (): Promise<() => Promise<string[]>> => {
    const payloads: string[] = [];
    let isComplete = (): void => undefined;
    const both = new Promise<void>((resolve) => (isComplete = resolve));
    const onNotified = (payload: string): void => {
      if (payloads.push(payload) === 2) isComplete();
    };
    await database.listen(onNotified, () => undefined);
    return async () => {
      await both;
      return payloads;
    };
  };
  const some = expect.any(Number) as number;

  it('lists leases with their hosts, and hosts with whether they run', async () => {
    const [one, two, fleet] = [tableOf('one'), tableOf('two', 1_000), new FleetTable(database)];
    await one.announce(['a', 'b']);
    await one.renew(await one.take(['b'], 1));
    await two.renew([]);
    expect(await fleet.leases()).toEqual([
      { name: 'a', token: 0, holder: null, host: null, remainingMs: 0 },
      { name: 'b', token: 1, holder: 'one', host: 'host-one', remainingMs: some },
    ]);
    const age = { capacity: 10, labels: ['fast'], isDraining: false, ageMs: some };
    expect(await fleet.hosts()).toEqual([
      { ...age, id: 'one', name: 'host-one', isRunning: true },
      { ...age, id: 'two', name: 'host-two', isRunning: true },
    ]);
    await subject.pass(2_000);
    expect((await fleet.hosts()).map(({ isRunning }) => isRunning)).toEqual([true, false]);
    await one.leave();
    expect((await fleet.hosts()).map(({ id }) => id)).toEqual(['two']);
    await subject.pass(2 * 24 * 60 * minuteMs);
    await one.renew([]);
    expect((await fleet.hosts()).map(({ id }) => id)).toEqual(['one']);
  });

  it('asks the hosts of a name that run to drain, and notifies them', async () => {
    const [one, fleet] = [tableOf('one'), new FleetTable(database)];
    for (const table of [one, tableOf('two', 1_000)]) await table.renew([]);
    const told = await notifications();
    expect(await fleet.drain('host-one', true)).toEqual(['one']);
    // A renewal keeps what an operator has asked for.
    await one.renew([]);
    const draining = async (): Promise<unknown> => (await one.hosts(minuteMs)).map(({ isDraining }) => isDraining);
    expect(await draining()).toEqual([true, false]);
    expect(await fleet.drain('host-one', false)).toEqual(['one']);
    expect(await draining()).toEqual([false, false]);
    await subject.pass(2_000);
    expect(await fleet.drain('host-two', true)).toEqual([]);
    expect(await fleet.drain('host-three', true)).toEqual([]);
    expect(await told()).toEqual(['one', 'one']);
  });

  it('shows what each host has published, with its leases', async () => {
    const [one, reports] = [tableOf('one'), new HostReports(database)];
    await one.announce(['a', 'b']);
    await one.renew(await one.take(['a', 'b'], 2));
    await tableOf('two').renew([]);
    await reports.publish('one', '{"rows":1}');
    await reports.publish('one', '{"rows":2}');
    await reports.publish('three', '{}');
    expect(await reports.read()).toEqual([
      { id: 'one', name: 'host-one', report: '{"rows":2}', ageMs: some, leases: ['a', 'b'] },
      { id: 'two', name: 'host-two', report: null, ageMs: null, leases: [] },
    ]);
  });

  it('keeps every version of the configuration, once, and notifies the hosts of it', async () => {
    const table = new ConfigurationTable(database);
    expect([await table.newest(), await table.newestVersion()]).toEqual([null, 0]);
    const told = await notifications();
    expect(await table.apply({ version: 1, text: 'one' })).toBe(true);
    expect(await table.apply({ version: 1, text: 'other' })).toBe(false);
    expect(await table.newest()).toEqual({ version: 1, text: 'one' });
    expect(await table.apply({ version: 2, text: 'two' })).toBe(true);
    expect([await table.newest(), await table.newestVersion()]).toEqual([{ version: 2, text: 'two' }, 2]);
    expect(await told()).toEqual(['configuration', 'configuration']);
  });

  it('gives leases only to a host that runs the newest version, or the configuration of a file', async () => {
    const [table, one] = [new ConfigurationTable(database), tableOf('one')];
    await one.announce(['a', 'b', 'c', 'd']);
    const takes = async (name: string, version: number | null): Promise<number> =>
      (await one.take([name], 1, version)).length;
    expect(await takes('a', 1)).toBe(1);
    await table.apply({ version: 1, text: 'one' });
    await table.apply({ version: 2, text: 'two' });
    expect(await takes('b', 1)).toBe(0);
    expect([await takes('b', 2), await takes('c', 3), await takes('d', null)]).toEqual([1, 1, 1]);
  });
  describe('writes the state of a lease', () => {
    const entry = (key: string, value: string, table = 'words'): Entry => {
      return { table, key: Buffer.from(key), value: Buffer.from(value) };
    };
    const nothing = { removed: [], puts: [] };
    let lease: Lease;
    let other: Lease;
    beforeEach(async () => {
      await tableOf('one').announce(['a', 'b']);
      for (const taken of await tableOf('one').take(['a', 'b'], 2)) {
        if (taken.name === 'a') lease = taken;
        else other = taken;
      }
    });
    const read = async (of: Lease): Promise<unknown> => {
      const state = await database.call('read', { lease: of });
      const rows = state?.entries.map(({ table, key, value }) => `${table} ${String(key)}=${String(value)}`);
      return state && [state.commits, ...(rows ?? []).sort()];
    };

    it('all at once, of this lease only, and counts the writes', async () => {
      expect(await read(lease)).toEqual(['0']);
      const puts = [entry('k', '1'), entry('l', '2'), entry('m', '5'), entry('k', '3', 'numbers')];
      expect(await database.call('write', { lease, commits: '0', removed: [], puts })).toBe('1');
      const same = { ...nothing, puts: [entry('k', 'other'), entry('l', 'other')] };
      expect(await database.call('write', { lease: other, commits: '0', ...same })).toBe('1');
      const change = { removed: [entry('l', ''), entry('none', '')], puts: [entry('k', '4')] };
      expect(await database.call('write', { lease, commits: '1', ...change })).toBe('2');
      expect([await read(lease), await read(other)]).toEqual([
        ['2', 'numbers k=3', 'words k=4', 'words m=5'],
        ['1', 'words k=other', 'words l=other'],
      ]);
    });

    it('under its token, and after the write that the holder knows, or not at all', async () => {
      const puts = [entry('k', 'late')];
      expect(await database.call('write', { lease, commits: '0', removed: [], puts: [entry('k', '1')] })).toBe('1');
      const removed = [entry('k', '')];
      expect(await database.call('write', { lease, commits: '0', removed, puts })).toBeNull();
      const older = { name: 'a', token: lease.token - 1 };
      expect(await database.call('write', { lease: older, commits: '1', removed, puts })).toBeNull();
      expect([await read(older), await read(lease)]).toEqual([null, ['1', 'words k=1']]);
    });

    it('for the next holder under a token that was raised', async () => {
      await database.call('write', { lease, commits: '0', removed: [], puts: [entry('k', '1')] });
      const raised = await tableOf('one').raiseAbove(lease, 41);
      if (!raised) throw new Error('not held');
      expect(await database.call('write', { lease, commits: '1', ...nothing })).toBeNull();
      expect(await database.call('write', { lease: raised, commits: '1', ...nothing })).toBe('2');
      expect(await read(raised)).toEqual(['2', 'words k=1']);
    });
  });
}
