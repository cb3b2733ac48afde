import { StoreOpenError, type Store, type StoreOptions } from '@libs/store';
import { contractTables, tableStoreContract, type ContractTables } from '../../../test/contract/table-store-contract';
import { diskSubjects, type DiskSubject } from './testing/disk-subjects';

describe.each(diskSubjects)('tables on %s', (_name, makeDisk) => {
  tableStoreContract(() => {
    const disk = makeDisk();
    const options = { name: 'the journal', layout: 'folder', maxTables: 8 } as const;
    return {
      open: () => disk.stores.open({ ...options, path: disk.path('journal') }, contractTables),
      crash: () => disk.crash(),
      end: () => disk.end(),
    };
  });
});

describe.each(diskSubjects)('a store on %s', (_name, makeDisk) => {
  let disk: DiskSubject;
  let store: Store<ContractTables>;
  const opened = (changes: Partial<StoreOptions> = {}): Store<ContractTables> => {
    const options = { name: 'the journal', path: disk.path('journal'), layout: 'folder', maxTables: 8 } as const;
    return (store = disk.stores.open({ ...options, ...changes }, contractTables));
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

  describe('a copy', () => {
    const copied = (): Store<ContractTables> => {
      const options = { name: 'the copy', path: disk.path('copy'), layout: 'folder', maxTables: 8 } as const;
      return disk.stores.open(options, contractTables);
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
