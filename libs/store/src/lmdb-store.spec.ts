import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LmdbStore } from './lmdb-store';
import { StoreOpenError, StoreWriteError, type StoreOptions } from './store';
import type { Table, TableSource } from './table';

interface Tables {
  readonly words: Table<string, string>;
  readonly numbers: Table<number, number>;
}

const define = (source: TableSource): Tables => ({ words: source.table('words'), numbers: source.table('numbers') });

describe('a store', () => {
  let folder: string;
  let store: LmdbStore<Tables> | null = null;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'store-spec-'))));
  afterEach(async () => {
    await store?.close();
    store = null;
    rmSync(folder, { recursive: true, force: true });
  });

  const file = (): string => join(folder, 'journal', 'data.mdb');
  const lock = (): string => join(folder, 'journal', 'lock.mdb');
  const opened = (changes: Partial<StoreOptions> = {}): LmdbStore<Tables> => {
    const options = { name: 'the journal', path: join(folder, 'journal'), layout: 'folder', maxTables: 4 } as const;
    return (store = LmdbStore.open({ ...options, ...changes }, define));
  };
  const word = (key: string): string | undefined => store?.read(({ words }) => words.get(key));
  /** A store of many pages that has been closed. */
  const written = async (): Promise<void> => {
    const before = opened();
    for (let round = 0; round < 5; round++) {
      await before.write(({ words, numbers }) => {
        for (let index = 0; index < 40; index++) {
          void words.put(`${round}-${index}`, 'x'.repeat(200));
          void numbers.put(round * 100 + index, index);
        }
      });
    }
    await before.close();
  };
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

  it('keeps what was written over a restart', async () => {
    await opened().write(({ words }) => void words.put('a', 'alpha'));
    expect(word('a')).toBe('alpha');
    await store?.close();
    opened();
    expect(word('a')).toBe('alpha');
  });

  it('applies a change as a whole or not at all, and stays writable', async () => {
    const refused = opened().write(({ words }) => {
      void words.put('a', 'alpha');
      void words.put('x'.repeat(5_000), 'no key is as long as this');
    });
    const other = store?.write(({ words }) => void words.put('b', 'beta'));
    await expect(refused).rejects.toThrow(StoreWriteError);
    await other;
    expect([word('a'), word('b'), store?.condition]).toEqual([undefined, 'beta', { writable: true }]);
  });

  it('refuses reads and writes once it is closed', async () => {
    await opened().close();
    expect(() => word('a')).toThrow('the journal is closed');
    await expect(store?.write(() => undefined)).rejects.toThrow('the journal is closed');
  });

  it('makes its files and folder private, and narrows those that are not', async () => {
    await opened().close();
    expect([folder + '/journal', file(), lock()].map(modeOf)).toEqual(['700', '600', '600']);
    chmodSync(join(folder, 'journal'), 0o755);
    chmodSync(file(), 0o644);
    chmodSync(lock(), 0o666);
    opened();
    expect([folder + '/journal', file(), lock()].map(modeOf)).toEqual(['700', '600', '600']);
  });

  it('has a file and its lock by name in the file layout', async () => {
    const path = join(folder, 'state.lmdb');
    await opened({ path, layout: 'file' }).write(({ words }) => void words.put('a', 'alpha'));
    expect([path, `${path}-lock`].map(modeOf)).toEqual(['600', '600']);
    await store?.close();
    opened({ path, layout: 'file' });
    expect(word('a')).toBe('alpha');
  });

  describe('of a damaged file', () => {
    const refusal = (): string => {
      try {
        opened();
        return 'it was opened';
      } catch (error) {
        if (!(error instanceof StoreOpenError)) throw error;
        return error.message;
      }
    };

    it.each<[string, () => void]>([
      ['of 1 byte', () => truncateSync(file(), 1)],
      ['of 4096 bytes', () => truncateSync(file(), 4_096)],
      ['of 8192 bytes', () => truncateSync(file(), 8_192)],
      ['cut in half', () => truncateSync(file(), Math.floor(statSync(file()).size / 2 / 4_096) * 4_096)],
      ['of zeros', () => writeFileSync(file(), Buffer.alloc(64 * 1_024))],
      ['of text', () => writeFileSync(file(), 'not a database\n'.repeat(5_000))],
      ['of random bytes', () => writeFileSync(file(), randomBytes(192_512))],
    ])('refuses one %s in one sentence that names it', async (_case, damage) => {
      await written();
      damage();
      const message = refusal();
      expect(message).toContain(`the journal in ${file()} is damaged: `);
      expect(message).not.toContain('\n');
    });

    it('refuses one whose pages behind a sound header are overwritten, and survives reading it', async () => {
      await written();
      const target = openSync(file(), 'r+');
      const { size } = statSync(file());
      for (let at = 8_192; at < size; at += 4_096) writeSync(target, Buffer.alloc(4_096, 0xa5), 0, 4_096, at);
      closeSync(target);
      expect(refusal()).toContain(`the journal in ${file()} is damaged: `);
    });

    it('takes a file without content as a new one', async () => {
      await written();
      truncateSync(file(), 0);
      expect(opened().read(({ words }) => words.getKeysCount())).toBe(0);
    });
  });

  describe('that cannot open its file for writing', () => {
    // A folder in the place of the lock file: LMDB can open it neither for a common user nor for root.
    const obstruct = (): void => {
      rmSync(lock());
      mkdirSync(lock());
    };

    it('is refused with the reason', async () => {
      await written();
      obstruct();
      expect(() => opened()).toThrow(/^the journal in .*data\.mdb cannot be opened: /);
    });

    it('can be read from a copy, refuses writes, and takes them again once the file can be opened', async () => {
      await written();
      const bytes = readFileSync(file());
      obstruct();
      opened({ copyWhenUnwritable: true });
      expect(word('0-0')).toBe('x'.repeat(200));
      expect(store?.condition).toMatchObject({ writable: false });
      await expect(store?.write(({ words }) => void words.put('a', 'alpha'))).rejects.toThrow(StoreWriteError);
      expect(await store?.probe()).toMatchObject({ writable: false });
      expect(readFileSync(file()).equals(bytes)).toBe(true);
      rmSync(lock(), { recursive: true });
      expect(await store?.probe()).toEqual({ writable: true });
      await store?.write(({ words }) => void words.put('a', 'alpha'));
      await store?.close();
      opened();
      expect([word('a'), word('0-0')]).toEqual(['alpha', 'x'.repeat(200)]);
    });

    it('is refused also as a copy when the file is damaged', async () => {
      await written();
      obstruct();
      truncateSync(file(), 8_192);
      expect(() => opened({ copyWhenUnwritable: true })).toThrow(/is damaged: the file is truncated/);
    });
  });

  it('notices by a probe that the folder takes no files, and that it does again', async () => {
    const obstacle = `${file()}.probe`;
    opened();
    mkdirSync(obstacle);
    expect(await store?.probe()).toMatchObject({ writable: false, reason: expect.stringContaining('EISDIR') });
    rmSync(obstacle, { recursive: true });
    expect(await store?.probe()).toEqual({ writable: true });
  });

  it('keeps its reserve of disk space beyond the last page', async () => {
    const reserveBytes = 512 * 1_024;
    opened({ reserveBytes });
    for (let index = 0; index < 60; index++) {
      await store?.write(({ words }) => void words.put(String(index), 'x'.repeat(8_000)));
    }
    const { size, blocks } = statSync(file());
    expect(size).toBeGreaterThan(60 * 8_000 + reserveBytes - 128 * 1_024);
    expect(blocks * 512).toBeGreaterThanOrEqual(size);
    await store?.close();
    opened({ reserveBytes });
    expect(word('59')).toBe('x'.repeat(8_000));
  });
});
