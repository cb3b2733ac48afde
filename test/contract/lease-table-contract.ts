import { FleetTable, LeaseTable, type Lease, type FleetDatabase } from '@libs/postgres';

const minuteMs = 60_000;

/** A server that the contract is held against. */
export interface LeaseSubject {
  /** Another connection. */
  connect(): Promise<FleetDatabase>;
  /** Removes all leases and hosts. */
  empty(): void | Promise<void>;
  /** A lease has ended by the server's clock. */
  expire(name: string): void | Promise<void>;
}

/** What the table of leases does on every server. */
export function leaseTableContract(subjectOf: () => LeaseSubject): void {
  let subject: LeaseSubject;
  let databases: FleetDatabase[];
  beforeEach(async () => {
    subject = subjectOf();
    databases = await Promise.all([subject.connect(), subject.connect()]);
    await subject.empty();
  });
  afterEach(async () => {
    for (const database of databases) await database.close();
  });
  const connection = (index: number): FleetDatabase => {
    const database = databases[index];
    if (!database) throw new Error('not connected');
    return database;
  };
  const tableOf = (id: string, leaseMs = minuteMs, database = connection(0)): LeaseTable => {
    return new LeaseTable(database, { id, name: `host-${id}`, capacity: 10, labels: [] }, leaseMs);
  };
  const namesOf = (leases: readonly Lease[]): string[] => leases.map(({ name }) => name).sort();

  it('gives every lease to one of two holders that race for them, and each a token of its own', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `s${index}`);
    const [one, two] = [tableOf('one'), tableOf('two', minuteMs, databases[1])];
    await one.announce(names);
    const taken: Lease[][] = [[], []];
    const race = async (table: LeaseTable, own: Lease[]): Promise<void> => {
      for (let round = 0; round < 40; round++) own.push(...(await table.take(names, 7)));
    };
    await Promise.all([race(one, taken[0] ?? []), race(two, taken[1] ?? [])]);
    expect(namesOf(taken.flat())).toEqual([...names].sort());
    expect(taken.every(({ length }) => length > 0)).toBe(true);
    expect(new Set(taken.flat().map(({ token }) => token))).toEqual(new Set([1]));
  });

  it('gives one lease to one of many holders at the same instant, round after round, under growing tokens', async () => {
    await tableOf('any').announce(['trend']);
    for (let round = 1; round <= 20; round++) {
      const takers = databases.flatMap((database, index) =>
        Array.from({ length: 4 }, (_, place) => tableOf(`${index}-${place}`, minuteMs, database).take(['trend'], 1)),
      );
      const taken = (await Promise.all(takers)).flat();
      expect(taken).toEqual([{ name: 'trend', token: round }]);
      await subject.expire('trend');
    }
  });

  it('gives the first ones first, up to the limit, and none that is held or unknown', async () => {
    const [one, two] = [tableOf('one'), tableOf('two')];
    await one.announce(['a', 'b', 'c']);
    expect(namesOf(await one.take(['c', 'unknown', 'a', 'b'], 2))).toEqual(['a', 'c']);
    expect(namesOf(await two.take(['a', 'b', 'c'], 5))).toEqual(['b']);
  });

  it('keeps what is renewed, all in one statement, and what has expired is free for others', async () => {
    const [one, two] = [tableOf('one', 1_500), tableOf('two')];
    const names = Array.from({ length: 2_000 }, (_, index) => `s${index}`);
    await one.announce(names);
    const held = await one.take(names, 2_000);
    expect((await tableOf('one').renew(held)).size).toBe(2_000);
    expect(await two.take(names, 5)).toEqual([]);
    const [first, second] = held;
    if (!first || !second) throw new Error('nothing is held');
    // The server's clock was set ahead, or the holder paused: the row has ended before the holder expects it.
    await subject.expire(first.name);
    expect(await two.take([first.name, second.name], 5)).toEqual([{ name: first.name, token: 2 }]);
    const renewed = await one.renew(held);
    expect([renewed.has(first.name), renewed.has(second.name), renewed.size]).toEqual([false, true, 1_999]);
  });

  it('is renewed by its holder after its end if no other host took it meanwhile', async () => {
    const one = tableOf('one', 0);
    await one.announce(['trend']);
    const held = await one.take(['trend'], 1);
    expect([...(await tableOf('one').renew(held))]).toEqual(['trend']);
    expect(await tableOf('two').take(['trend'], 1)).toEqual([]);
  });

  it('takes back what is released, and notifies the others of it at once', async () => {
    const [one, two] = [tableOf('one'), tableOf('two')];
    await one.announce(['a', 'b']);
    const held = await one.take(['a', 'b'], 2);
    const notified = new Promise<string>((resolve, reject) => {
      void databases[1]?.listen(resolve, () => reject(new Error('lost'))).catch(reject);
    });
    // A holder that was replaced releases nothing.
    await one.release([{ name: 'a', token: 99 }]);
    await two.release(held);
    expect(await two.take(['a', 'b'], 2)).toEqual([]);
    // The listener may not be there yet.
    await databases[1]?.call('newestVersion', {});
    await one.release(held.filter(({ name }) => name === 'a'));
    expect(await notified).toBe('a');
    // Only its holder renews a lease, and not after it has released it.
    expect([await two.renew(held), await one.renew(held)]).toEqual([new Set(), new Set(['b'])]);
    expect(await two.take(['a', 'b'], 2)).toEqual([{ name: 'a', token: 2 }]);
  });

  it('raises a token above that of a gateway, for its holder only', async () => {
    const one = tableOf('one');
    await one.announce(['trend']);
    const [lease] = await one.take(['trend'], 1);
    if (!lease) throw new Error('not taken');
    expect(await tableOf('two').raiseAbove(lease, 41)).toBeNull();
    expect(await one.raiseAbove(lease, 41)).toEqual({ name: 'trend', token: 42 });
    expect(await one.renew([lease])).toEqual(new Set());
    expect(await one.raiseAbove({ name: 'trend', token: 42 }, 7)).toEqual({ name: 'trend', token: 43 });
  });

  it('lists the leases that are free, and those that are reserved for a host', async () => {
    const [one, two] = [tableOf('one'), tableOf('two')];
    const fleet = new FleetTable(connection(0));
    const names = ['a', 'b', 'c', 'new'];
    await one.announce(['a', 'b', 'c', 'other']);
    await one.take(['b', 'c'], 2);
    const free = [
      { name: 'a', isFree: true, reservedFor: null },
      { name: 'new', isFree: true, reservedFor: null },
    ];
    const opened = async (): Promise<unknown> =>
      [...(await one.open(names))].sort(({ name }, other) => (name < other.name ? -1 : 1));
    expect(await opened()).toEqual(free);
    const reserved = { name: 'b', isFree: false, reservedFor: 'two' };
    expect(await fleet.reserve('b', 'two', minuteMs)).toBe(true);
    expect(await fleet.reserve('unknown', 'two', minuteMs)).toBe(false);
    expect(await opened()).toEqual([free[0], reserved, free[1]]);
    expect([await fleet.isReserved('b', 'two'), await fleet.isReserved('b', 'one')]).toEqual([true, false]);
    await two.unreserve('b', 'one');
    expect(await fleet.isReserved('b', 'two')).toBe(true);
    await two.unreserve('b', 'two');
    expect(await opened()).toEqual(free);
    expect(await fleet.reserve('b', 'two', -1)).toBe(true);
    expect([await opened(), await fleet.isReserved('b', 'two')]).toEqual([free, false]);
    await subject.expire('c');
    expect(await opened()).toEqual([free[0], { name: 'c', isFree: true, reservedFor: null }, free[1]]);
  });

  it('counts the leases of each host that was seen, until it leaves', async () => {
    const one = tableOf('one');
    await one.announce(['a', 'b']);
    await one.renew(await one.take(['b'], 1));
    const host = { id: 'one', name: 'host-one', capacity: 10, isDraining: false, labels: [], leases: 1 };
    expect(await one.hosts(minuteMs)).toEqual([{ ...host, ageMs: expect.any(Number) as number }]);
    await one.leave();
    expect(await one.hosts(minuteMs)).toEqual([]);
  });
}
