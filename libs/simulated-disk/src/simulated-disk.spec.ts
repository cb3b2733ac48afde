import { VirtualClock } from '@libs/clock';
import type { OpenFile } from '@libs/files';
import { StoreOpenError, type Store, type StoreOptions, type Table } from '@libs/store';
import { SimulatedDisk, type Crash } from './simulated-disk';
import { randomOf } from './testing/disk-subjects';

type Words = Table<string, string>;

const seeds = Array.from({ length: 40 }, (_, seed) => seed + 1);

/** A disk, and a clock that is stepped until a call ends. */
class Rig {
  readonly clock = new VirtualClock();
  readonly disk: SimulatedDisk;

  constructor(seed = 1) {
    this.disk = new SimulatedDisk(this.clock, randomOf(seed));
    this.disk.makeFolder('/state');
  }

  /** @throws what the call throws, or Error when it does not end within a minute */
  async end<R>(call: Promise<R>): Promise<R> {
    const outcome = call.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const late = this.clock.sleep(60_000).then(() => ({ error: new Error('the call did not end') }));
    const ended = Promise.race([outcome, late]);
    await this.clock.advance(60_000);
    const found = await ended;
    if ('error' in found) throw found.error;
    return found.value;
  }

  open(path = '/state/log', flag: 'a+' | 'w' = 'a+'): Promise<OpenFile> {
    return this.end(this.disk.view.files.open(path, flag, 0o600));
  }

  store(changes: Partial<StoreOptions> = {}): Store<Words> {
    const options = { name: 'the journal', path: '/state/journal', layout: 'folder', maxTables: 8 } as const;
    return this.disk.view.stores.open({ ...options, ...changes }, (source) => source.table('words'));
  }

  put(store: Store<Words>, key: string, value = 'x'): Promise<void> {
    return this.end(store.write((words) => void words.put(key, value)));
  }
}

const keysOf = (store: Store<Words>): string[] => store.read((words) => [...words.getKeys()]);

describe('a crash', () => {
  const lines = 'one\ntwo\n';

  it.each<[Crash, string[]]>([
    ['process', [lines]],
    ['power', ['one\n', 'one\nt', 'one\ntw', 'one\ntwo', lines]],
  ])('of the %s leaves of a line that was not synced', async (kind, expected) => {
    const found = new Set<string | null>();
    for (const seed of seeds) {
      const rig = new Rig(seed);
      const file = await rig.open();
      await rig.end(file.appendFile('one\n'));
      await rig.end(file.datasync());
      await rig.end(file.appendFile('two\n'));
      rig.disk.crash(kind);
      found.add(rig.disk.text('/state/log'));
    }
    expect([...found].sort()).toEqual([...expected].sort());
  });

  it('of the power may undo names that no sync made durable, in the order of their making', async () => {
    const found = new Set<string>();
    for (const seed of seeds) {
      const rig = new Rig(seed);
      const { files } = rig.disk.view;
      const file = await rig.open('/state/offset.new', 'w');
      await rig.end(file.appendFile('new'));
      await rig.end(file.sync());
      await rig.end(files.rename('/state/offset.new', '/state/offset'));
      await rig.open('/state/later');
      rig.disk.crash('power');
      found.add(rig.disk.list('/state').slice(1).join(' '));
    }
    expect([...found].sort()).toEqual(['/state/later /state/offset', '/state/offset', '/state/offset.new']);
  });

  it('leaves the old text or a part of the new one in a file that was emptied', async () => {
    const found = new Set<string | null>();
    for (const seed of seeds) {
      const rig = new Rig(seed);
      rig.disk.replace('/state/log', 'old');
      await rig.end((await rig.open('/state/log', 'w')).appendFile('ab'));
      rig.disk.crash('power');
      found.add(rig.disk.text('/state/log'));
    }
    expect([...found].sort()).toEqual(['', 'a', 'ab', 'old']);
  });

  it.each<Crash>(['process', 'power'])(
    'of the %s in the middle of a commit leaves all of it or nothing; earlier commits stay',
    async (kind) => {
      const found = new Set<string>();
      for (const seed of seeds) {
        const rig = new Rig(seed);
        rig.disk.setPace({ commitMs: 10 });
        const store = rig.store();
        await rig.put(store, 'a');
        const ended: string[] = [];
        for (const key of ['b', 'c']) void store.write((words) => void words.put(key, 'x')).then(() => ended.push(key));
        await rig.clock.advance(5);
        rig.disk.crash(kind);
        await rig.clock.advance(60_000);
        found.add(`${keysOf(rig.store()).join('')} ${ended.join('')}`);
      }
      expect([...found].sort()).toEqual(['a ', 'abc ']);
    },
  );

  it('in the middle of an append leaves any part of it', async () => {
    const found = new Set<string | null>();
    for (const seed of seeds) {
      const rig = new Rig(seed);
      const file = await rig.open();
      rig.disk.setPace({ operationMs: 10 });
      void file.appendFile('abc');
      rig.disk.crash('process');
      found.add(rig.disk.text('/state/log'));
    }
    expect([...found].sort()).toEqual(['', 'a', 'ab', 'abc']);
  });

  it('leaves every call of the program pending forever, and keeps it from the disk', async () => {
    const rig = new Rig();
    const [file, store, { files, stores }] = [await rig.open(), rig.store(), rig.disk.view];
    const settled: string[] = [];
    const watch = (name: string, call: Promise<unknown>): void =>
      void call.then(
        () => settled.push(name),
        () => settled.push(name),
      );
    watch('in flight', file.appendFile('early\n'));
    rig.disk.crash('power');
    watch('append', file.appendFile('late\n'));
    watch('open', files.open('/state/other', 'a'));
    watch(
      'write',
      store.write((words) => void words.put('late', 'x')),
    );
    watch('probe', store.probe());
    await rig.clock.advance(600_000);
    expect(settled).toEqual([]);
    expect(() => stores.open({ name: 'x', path: '/y', layout: 'file', maxTables: 1 }, () => null)).toThrow('crashed');
    expect([rig.disk.list('/state/other'), keysOf(rig.store())]).toEqual([[], []]);
  });

  it('gives the same disk for the same seed', async () => {
    const left = async (seed: number): Promise<unknown> => {
      const rig = new Rig(seed);
      const [file, store] = [await rig.open(), rig.store()];
      for (let round = 0; round < 5; round++) {
        await rig.put(store, `k${round}`);
        await rig.end(file.appendFile(`line ${round}\n`));
      }
      void file.appendFile('torn');
      void store.write((words) => void words.put('torn', 'x'));
      rig.disk.crash('power');
      return [rig.disk.text('/state/log'), keysOf(rig.store())];
    };
    for (const seed of seeds) expect(await left(seed)).toEqual(await left(seed));
  });
});

describe('a full disk', () => {
  it('takes what fits into the last block of a file, and no more', async () => {
    const rig = new Rig();
    const file = await rig.open();
    await rig.end(file.appendFile('one\n'));
    rig.disk.fill();
    await rig.end(file.appendFile('two\n'));
    await expect(rig.end(file.appendFile('x'.repeat(5_000)))).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(rig.disk.text('/state/log')).toHaveLength(4_096);
    await rig.end(file.datasync());
    rig.disk.makeSpace();
    await rig.end(file.appendFile('three\n'));
    expect(rig.disk.text('/state/log')).toHaveLength(4_102);
  });

  it('takes commits from the reserve of a store, which says that it is not writable', async () => {
    const rig = new Rig();
    const store = rig.store({ reserveBytes: 1_024 * 1_024 });
    rig.disk.fill();
    expect(await rig.end(store.probe())).toMatchObject({ writable: false, reason: expect.stringContaining('ENOSPC') });
    expect(rig.disk.roomIn('/state/journal/data.mdb')).toBeGreaterThan(1_000_000);
    let commits = 0;
    const failed = await (async () => {
      for (; commits < 10_000; commits++) {
        try {
          await rig.put(store, `k${commits}`, 'x'.repeat(1_000));
        } catch (error) {
          return error;
        }
      }
      return null;
    })();
    expect(failed).toMatchObject({ message: 'No space left on device' });
    expect(commits).toBeGreaterThan(100);
    expect(commits).toBeLessThan(2_000);
    expect(rig.disk.roomIn('/state/journal/data.mdb')).toBeLessThan(4_096);
    expect(rig.disk.roomIn('/state/nothing')).toBe(0);
    expect(store.condition.writable).toBe(false);
    expect(keysOf(store)).toHaveLength(commits);
    rig.disk.makeSpace();
    expect(await rig.end(store.probe())).toEqual({ writable: true });
    await rig.put(store, 'again');
  });

  it('refuses a new store, and opens one that is there', async () => {
    const rig = new Rig();
    const store = rig.store();
    await rig.put(store, 'a');
    rig.disk.fill();
    rig.disk.crash('process');
    expect(() => rig.store({ path: '/state/other' })).toThrow(/cannot be opened: ENOSPC/);
    expect(keysOf(rig.store())).toEqual(['a']);
  });
});

describe('a read-only disk', () => {
  it('refuses to write with EROFS; a store is read from a copy', async () => {
    const rig = new Rig();
    const [file, before] = [await rig.open(), rig.store()];
    await rig.put(before, 'a');
    rig.disk.setReadOnly(true);
    await expect(rig.end(file.appendFile('x'))).rejects.toMatchObject({ code: 'EROFS' });
    await expect(rig.put(before, 'b')).rejects.toThrow('Read-only file system');
    rig.disk.crash('process');
    const store = rig.store({ copyWhenUnwritable: true });
    expect(keysOf(store)).toEqual(['a']);
    expect(await rig.end(store.probe())).toMatchObject({ writable: false, reason: expect.stringContaining('EROFS') });
    rig.disk.setReadOnly(false);
    expect(await rig.end(store.probe())).toEqual({ writable: true });
    await rig.put(store, 'b');
    expect(keysOf(store)).toEqual(['a', 'b']);
  });
});

describe('other faults', () => {
  it('a sync that fails: the call rejects with EIO, a commit changes nothing', async () => {
    const rig = new Rig();
    const [file, store] = [await rig.open(), rig.store()];
    rig.disk.setFailingSyncs(true);
    await rig.end(file.appendFile('one\n'));
    await expect(rig.end(file.datasync())).rejects.toMatchObject({ code: 'EIO' });
    await expect(rig.put(store, 'a')).rejects.toThrow('Input/output error');
    expect([keysOf(store), store.condition.writable]).toEqual([[], false]);
    rig.disk.setFailingSyncs(false);
    await rig.put(store, 'b');
    expect([keysOf(store), store.condition.writable]).toEqual([['b'], true]);
  });

  it('a slow disk takes the time of the clock', async () => {
    const rig = new Rig();
    const store = rig.store();
    rig.disk.setPace({ commitMs: 5_000 });
    const ended: string[] = [];
    void store.write((words) => void words.put('a', 'x')).then(() => ended.push('a'));
    await rig.clock.advance(4_999);
    expect([ended, keysOf(store)]).toEqual([[], []]);
    await rig.clock.advance(1);
    expect([ended, keysOf(store)]).toEqual([['a'], ['a']]);
  });

  it('a bit that flips: the store is refused, a line of a file is another line', async () => {
    const rig = new Rig();
    const store = rig.store();
    await rig.put(store, 'a');
    rig.disk.replace('/state/log', 'one\ntwo\n');
    rig.disk.flipBit('/state/log');
    rig.disk.flipBit('/state/journal/data.mdb');
    rig.disk.crash('process');
    expect(() => rig.store({ copyWhenUnwritable: true })).toThrow(StoreOpenError);
    expect(() => rig.store()).toThrow(/^the journal in \/state\/journal\/data.mdb is damaged: /);
    expect(rig.disk.text('/state/log')).not.toBe('one\ntwo\n');
  });

  it('rights that are missing: nothing is made in the folder, and with `all` nothing is found there', async () => {
    const rig = new Rig();
    const { files } = rig.disk.view;
    rig.disk.deny('/state', 'write');
    await expect(rig.open('/state/new')).rejects.toMatchObject({ code: 'EACCES' });
    await expect(rig.end(files.stat('/state/new', { bigint: true }))).rejects.toMatchObject({ code: 'ENOENT' });
    rig.disk.deny('/state', 'all');
    await expect(rig.end(files.stat('/state/new', { bigint: true }))).rejects.toMatchObject({ code: 'EACCES' });
    rig.disk.allow('/state');
    await rig.open('/state/new');
  });
});
