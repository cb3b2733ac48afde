import {
  StoreOpenError,
  StoreWriteError,
  type Key,
  type Store,
  type StoreOptions,
  type Table,
  type TableSource,
} from '@libs/store';
import { diskSubjects, type DiskSubject } from './testing/disk-subjects';

interface Tables {
  readonly words: Table<unknown, string>;
  readonly any: Table<number, Key>;
  readonly bytes: Table<Buffer, Buffer>;
}

const define = (source: TableSource): Tables => ({
  words: source.table('words'),
  any: source.table('any'),
  bytes: source.table('bytes', 'binary'),
});

describe.each(diskSubjects)('a store on %s', (_name, makeDisk) => {
  let disk: DiskSubject;
  let store: Store<Tables>;
  const opened = (changes: Partial<StoreOptions> = {}): Store<Tables> => {
    const options = { name: 'the journal', path: disk.path('journal'), layout: 'folder', maxTables: 8 } as const;
    return (store = disk.stores.open({ ...options, ...changes }, define));
  };
  beforeEach(() => {
    disk = makeDisk();
    opened();
  });
  afterEach(async () => {
    await store.close();
    disk.end();
  });
  const word = (key: string): unknown => store.read(({ words }) => words.get(key));
  const put = (key: string, value: unknown): Promise<void> => store.write(({ words }) => void words.put(key, value));
  const keys = (): string[] => store.read(({ words }) => [...words.getKeys()]);
  const messageOf = (act: () => unknown): string => {
    try {
      act();
      return 'nothing was thrown';
    } catch (error) {
      return `${(error as Error).constructor.name}: ${(error as Error).message}`;
    }
  };

  describe('writes', () => {
    it('that resolved are read at once, and after a crash', async () => {
      await put('a', { b: [1, 'c', null], d: 1.5 });
      expect(word('a')).toEqual({ b: [1, 'c', null], d: 1.5 });
      await store.close();
      disk.crash();
      opened();
      expect(word('a')).toEqual({ b: [1, 'c', null], d: 1.5 });
    });

    it('that resolved are found after a crash of a program that did not close the store', async () => {
      for (let index = 0; index < 20; index++) await put(`k${index}`, index);
      const before = store;
      disk.crash();
      opened();
      expect(keys()).toHaveLength(20);
      void before.close();
    });

    it('of one turn are applied in their order, later, and each sees those before it', async () => {
      const seen: unknown[] = [];
      const done = ['one', 'two', 'three'].map((value) =>
        store.write(({ words }) => {
          seen.push(words.get('a'));
          void words.put('a', value);
        }),
      );
      expect([seen, word('a')]).toEqual([[], undefined]);
      await Promise.all(done);
      expect([seen, word('a')]).toEqual([[undefined, 'one', 'two'], 'three']);
    });

    it('resolve in the order in which they were asked for', async () => {
      const order: string[] = [];
      await Promise.all(['a', 'b', 'c'].map((key) => put(key, 1).then(() => order.push(key))));
      expect(order).toEqual(['a', 'b', 'c']);
    });

    it('see their own changes', async () => {
      const seen: unknown[] = [];
      await put('old', 1);
      await store.write(({ words }) => {
        void words.put('a', 1);
        seen.push(words.get('a'), [...words.getKeys()], words.getKeysCount());
        void words.remove('old');
        seen.push(words.doesExist('old'), [...words.getRange()]);
      });
      expect(seen).toEqual([1, ['a', 'old'], 2, false, [{ key: 'a', value: 1 }]]);
    });

    it.each<[string, (tables: Tables) => void]>([
      [
        'that throws',
        () => {
          throw new Error('no');
        },
      ],
      ['with a key that is too long', ({ words }) => void words.put('x'.repeat(1_979), 1)],
      ['with an empty key', ({ any }) => void any.put([], 1)],
      ['with a value that is undefined', ({ words }) => void words.put('u', undefined)],
    ])('%s changes nothing, fails alone, and leaves the store writable', async (_case, failing) => {
      await put('a', 'before');
      const failed = store.write((tables) => {
        void tables.words.put('a', 'during');
        void tables.words.put('b', 'during');
        void tables.words.remove('a');
        failing(tables);
      });
      const other = put('c', 'beside');
      await expect(failed).rejects.toThrow(StoreWriteError);
      await other;
      expect([word('a'), word('b'), word('c')]).toEqual(['before', undefined, 'beside']);
      expect(store.condition).toEqual({ writable: true });
    });

    it('take a key of 1978 bytes', async () => {
      await put('x'.repeat(1_978), 1);
      expect(keys()).toEqual(['x'.repeat(1_978)]);
    });
  });

  describe('values', () => {
    it.each([
      [null, null],
      ['', ''],
      [Number.NaN, null],
      [
        { a: undefined, b: Number.NaN, c: new Date(0), d: [undefined] },
        { b: null, c: '1970-01-01T00:00:00.000Z', d: [null] },
      ],
      ['é😀\u0000', 'é😀\u0000'],
    ])('%j are read as JSON has them', async (value, read) => {
      await put('a', value);
      expect([word('a'), store.read(({ words }) => words.doesExist('a'))]).toEqual([read, true]);
    });

    it('are fresh at every read', async () => {
      const value = { list: [1] };
      await put('a', value);
      value.list.push(2);
      (word('a') as typeof value).list.push(3);
      expect(word('a')).toEqual({ list: [1] });
    });

    it('of bytes are the same bytes', async () => {
      const bytes = Buffer.from([0, 255, 128, 0]);
      await store.write((tables) => void tables.bytes.put(bytes, bytes));
      const [entry] = store.read((tables) => [...tables.bytes.getRange()]);
      expect([entry && Buffer.from(entry.key), entry && Buffer.from(entry.value)]).toEqual([bytes, bytes]);
    });
  });

  describe('keys', () => {
    const numbers = [Number.NEGATIVE_INFINITY, -1e300, -2.5, -1, 0, 1, 1.5, 2, 2.5, 1_700_000_000_000, 2 ** 53, 1e300];
    const strings = ['', '0', 'A', 'B', 'a', 'a\u0000', 'a\u0000b', 'a\u0001', 'ab', 'b', 'z', 'é', '\uFFFF', '😀'];
    const arrays: Key[] = [
      [-1, 'x'],
      [0, 'x'],
      [1, 2],
      [1, 'a'],
      ['a', 1],
      ['a', 'b'],
      ['a', '', 1],
      [true, 'a'],
    ];

    it('have the same order, regardless of the order of the writes', async () => {
      const all: Key[] = [...strings, ...arrays, ...numbers, true, false, [1]].reverse();
      await store.write(({ any }) => {
        for (const key of all) void any.put(key, 1);
      });
      // One list for both disks: what LMDB was seen to do. A list of one element is read back as that element.
      expect(store.read(({ any }) => [...any.getKeys()])).toEqual([
        ...[false, true, [true, 'a'], Number.NEGATIVE_INFINITY, -1e300, -2.5, -1, [-1, 'x'], 0, [0, 'x']],
        ...[1, 1, [1, 2], [1, 'a'], 1.5, 2, 2.5, 1_700_000_000_000, 2 ** 53, 1e300],
        ...['', '0', 'A', 'B', 'a', ['a', 1], ['a', '', 1], ['a', 'b']],
        ...['a\u0000', 'a\u0000b', 'a\u0001', 'ab', 'b', 'z', 'é', '\uFFFF', '😀'],
      ]);
    });

    it.each<[string, Parameters<Table<number, Key>['getKeys']>[0], Key[]]>([
      [
        'from a start',
        { start: [3] },
        [
          [3, 'a'],
          [3, 'b'],
          [4, 'a'],
        ],
      ],
      ['up to an end, which is not included', { end: [2] }, [[1, 'a']]],
      [
        'between both',
        { start: [2], end: [4] },
        [
          [2, 'a'],
          [3, 'a'],
          [3, 'b'],
        ],
      ],
      [
        'after a start',
        { start: [3, 'a'], exclusiveStart: true },
        [
          [3, 'b'],
          [4, 'a'],
        ],
      ],
      ['after a start that does not exist', { start: [2, 'b'], exclusiveStart: true, limit: 1 }, [[3, 'a']]],
      [
        'with a limit',
        { limit: 2 },
        [
          [1, 'a'],
          [2, 'a'],
        ],
      ],
      ['with a limit of none', { limit: 0 }, []],
      ['with an end before the start', { start: [4], end: [2] }, []],
      ['of an empty stretch', { start: [5] }, []],
    ])('are read in ranges: %s', async (_case, range, expected) => {
      await store.write(({ any }) => {
        for (const key of [
          [4, 'a'],
          [1, 'a'],
          [3, 'b'],
          [3, 'a'],
          [2, 'a'],
        ])
          void any.put(key, 7);
      });
      expect(store.read(({ any }) => [...any.getKeys({ ...range })])).toEqual(expected);
      expect(store.read(({ any }) => [...any.getRange({ ...range })])).toEqual(
        expected.map((key) => ({ key, value: 7 })),
      );
    });
  });

  describe('a copy', () => {
    const copied = (): Store<Tables> => {
      const options = { name: 'the copy', path: disk.path('copy'), layout: 'folder', maxTables: 8 } as const;
      return disk.stores.open(options, define);
    };

    it('has what was committed when it began, and the store goes on', async () => {
      for (let index = 0; index < 20; index++) await put(`k${index}`, index);
      const copying = store.copyTo(disk.path('copy'));
      const later = Array.from({ length: 20 }, (_, index) => put(`l${index}`, index));
      await copying;
      await Promise.all(later);
      expect(keys()).toHaveLength(40);
      const copy = copied();
      const found = copy.read(({ words }) => [...words.getKeys()]);
      expect(found.slice(0, 20)).toEqual(keys().slice(0, 20));
      // Commits are whole and in order, also in the copy.
      const added = found.slice(20);
      expect(added.sort()).toEqual(added.map((_, index) => `l${index}`).sort());
      await copy.close();
    });

    it('is complete when the store is closed during it', async () => {
      await put('a', 1);
      const copying = store.copyTo(disk.path('copy'));
      await store.close();
      await copying;
      const copy = copied();
      expect(copy.read(({ words }) => words.get('a'))).toBe(1);
      await copy.close();
    });

    it('is refused where there is a database, and from a closed store', async () => {
      await put('a', 1);
      await store.copyTo(disk.path('copy'));
      await expect(store.copyTo(disk.path('copy'))).rejects.toThrow(StoreOpenError);
      await store.close();
      await expect(store.copyTo(disk.path('other'))).rejects.toThrow('the journal is closed');
    });
  });

  describe('once closed', () => {
    it('has what was being written, and refuses reads and writes', async () => {
      const pending = put('a', 'alpha');
      await store.close();
      await expect(pending).resolves.toBeUndefined();
      expect(messageOf(() => word('a'))).toBe('Error: the journal is closed');
      await expect(put('b', 1)).rejects.toThrow(new StoreWriteError('the journal is closed'));
      opened();
      expect(word('a')).toBe('alpha');
    });
  });

  describe('of a file that is not a database', () => {
    const refusal = (): string => messageOf(() => opened({ copyWhenUnwritable: true }));
    beforeEach(() => store.close());

    it('is refused, and names it', () => {
      disk.replace('journal/data.mdb', 'not a database\n'.repeat(5_000));
      expect(refusal()).toBe(
        `StoreOpenError: the journal in ${disk.path('journal/data.mdb')} is damaged: the file is not a database`,
      );
    });

    it('is created again if it is empty or missing', async () => {
      await put('a', 1).catch(() => undefined);
      disk.replace('journal/data.mdb', '');
      expect(opened().read(({ words }) => words.getKeysCount())).toBe(0);
      await store.close();
      disk.remove('journal');
      expect(opened().read(({ words }) => words.getKeysCount())).toBe(0);
    });

    it('is refused below a file', () => {
      disk.replace('text', 'x');
      const path = disk.path('text/journal');
      expect(messageOf(() => opened({ path }))).toMatch(
        /^StoreOpenError: the journal in .* cannot be opened: (Error: )?ENOTDIR/,
      );
    });
  });

  describe('that cannot open its file for writing', () => {
    const lock = 'journal/lock.mdb';
    beforeEach(async () => {
      await put('a', 'alpha');
      await store.close();
      disk.remove(lock);
      disk.makeFolder(lock);
    });

    it('is refused with the reason', () => {
      expect(messageOf(() => opened())).toMatch(
        /^StoreOpenError: the journal in .*data\.mdb cannot be opened: (Error: )?EISDIR/,
      );
      expect(() => opened()).toThrow(StoreOpenError);
    });

    it('is read from a copy, refuses writes, and takes them once a probe can open the file', async () => {
      opened({ copyWhenUnwritable: true });
      expect([word('a'), store.condition]).toEqual([
        'alpha',
        { writable: false, reason: expect.stringContaining('EISDIR') },
      ]);
      await expect(put('b', 1)).rejects.toThrow(/^the journal cannot be written: (Error: )?EISDIR/);
      expect(await store.probe()).toMatchObject({ writable: false });
      disk.remove(lock);
      expect(await store.probe()).toEqual({ writable: true });
      await put('b', 'beta');
      await store.close();
      opened();
      expect([word('a'), word('b')]).toEqual(['alpha', 'beta']);
    });
  });

  it('notices by a probe that the folder takes no files, and that it does again', async () => {
    disk.makeFolder('journal/data.mdb.probe');
    expect(await store.probe()).toEqual({ writable: false, reason: expect.stringContaining('EISDIR') });
    // A write that still succeeds, as from the reserve of a full disk, does not prove that the next one will.
    await store.write(({ words }) => void words.put('a', 'alpha'));
    expect(store.condition).toMatchObject({ writable: false });
    disk.remove('journal/data.mdb.probe');
    expect(await store.probe()).toEqual({ writable: true });
  });

  it('continues in a removed file, which is not found again', async () => {
    disk.remove('journal/data.mdb');
    await put('a', 'alpha');
    expect(word('a')).toBe('alpha');
    await store.close();
    opened();
    expect(word('a')).toBeUndefined();
  });

  it('has a file and its lock by name in the file layout', async () => {
    await store.close();
    opened({ path: disk.path('state.lmdb'), layout: 'file' });
    await put('a', 1);
    await store.close();
    const files = [disk.path('state.lmdb'), disk.path('state.lmdb-lock')];
    const sizes = await Promise.all(files.map(async (path) => (await disk.files.stat(path, { bigint: true })).size));
    expect(sizes.every((size) => size > 0n)).toBe(true);
  });
});
