import { StoreWriteError, type Key, type Table, type TableSource, type TableStore } from '@libs/store';

export interface ContractTables {
  readonly words: Table<unknown, string>;
  readonly any: Table<number, Key>;
  readonly bytes: Table<Buffer, Buffer>;
}

export const contractTables = (source: TableSource): ContractTables => ({
  words: source.table('words'),
  any: source.table('any'),
  bytes: source.table('bytes', 'binary'),
});

/** A place of tables that the contract is run on. */
export interface StoreSubject {
  /** Opens the store "the journal" with {@link contractTables}, or opens it again. */
  open(): TableStore<ContractTables> | Promise<TableStore<ContractTables>>;
  /** The program is killed, or its machine loses power: what was not durable is gone. */
  crash(): void | Promise<void>;
  end(): void | Promise<void>;
}

/** What every store of tables does. Each test has a subject of its own. */
export function tableStoreContract(makeSubject: () => StoreSubject | Promise<StoreSubject>): void {
  let subject: StoreSubject;
  let store: TableStore<ContractTables>;
  const opened = async (): Promise<void> => {
    store = await subject.open();
  };
  beforeEach(async () => {
    subject = await makeSubject();
    await opened();
  });
  afterEach(async () => {
    await store.close();
    await subject.end();
  });
  const word = (key: string): unknown => store.read(({ words }) => words.get(key));
  const put = (key: string, value: unknown): Promise<void> => store.write(({ words }) => void words.put(key, value));
  const keys = (): string[] => store.read(({ words }) => [...words.getKeys()]);

  describe('writes', () => {
    it('that resolved are read at once, and after a crash', async () => {
      await put('a', { b: [1, 'c', null], d: 1.5 });
      expect(word('a')).toEqual({ b: [1, 'c', null], d: 1.5 });
      await store.close();
      await subject.crash();
      await opened();
      expect(word('a')).toEqual({ b: [1, 'c', null], d: 1.5 });
    });

    it('that resolved are found after a crash of a program that did not close the store', async () => {
      for (let index = 0; index < 20; index++) await put(`k${index}`, index);
      const before = store;
      await subject.crash();
      await opened();
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

    it.each<[string, (tables: ContractTables) => void]>([
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
      // One list for all stores: what LMDB was seen to do. A list of one element is read back as that element.
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

  describe('once closed', () => {
    it('has what was being written, and refuses reads and writes', async () => {
      const pending = put('a', 'alpha');
      await store.close();
      await expect(pending).resolves.toBeUndefined();
      expect(() => word('a')).toThrow(new Error('the journal is closed'));
      await expect(put('b', 1)).rejects.toThrow(new StoreWriteError('the journal is closed'));
      await opened();
      expect(word('a')).toBe('alpha');
    });
  });
}
