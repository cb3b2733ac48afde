import fc from 'fast-check';
import type { Key, Store, Table } from '@libs/store';
import { realDisk, simulatedDisk, type DiskSubject } from './testing/disk-subjects';

/** Runs the same on both disks. @returns what each of them was seen to do */
async function onBoth<R>(run: (disk: DiskSubject) => Promise<R>): Promise<readonly [R, R]> {
  const disks = [realDisk(), simulatedDisk()] as const;
  try {
    return [await run(disks[0]), await run(disks[1])];
  } finally {
    for (const disk of disks) disk.end();
  }
}

type Words = Table<number, Key>;

/** Without -0: its bytes are read back as a text, together with what the buffer held behind them. */
const float = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0));
const part = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  float,
  fc.constantFrom('', 'a', 'b', 'ab', 'é', '\u0000', 'a\u0000', '/', '0', '\uFFFF', '😀', 'Z'),
  fc.string({ maxLength: 4 }),
);
/** A list of one element is read back as that element, so it is left out. */
const key: fc.Arbitrary<Key> = fc.oneof(part, fc.array(part, { minLength: 2, maxLength: 3 }));
const pool = fc.uniqueArray(key, {
  minLength: 2,
  maxLength: 12,
  comparator: 'SameValue',
  selector: (k) => JSON.stringify(k),
});
const pick = fc.nat({ max: 11 });

type Change =
  | { readonly kind: 'put'; readonly at: number; readonly value: number }
  | { readonly kind: 'remove'; readonly at: number }
  | { readonly kind: 'throw' };

type Step =
  | { readonly kind: 'writes'; readonly writes: readonly (readonly Change[])[] }
  | {
      readonly kind: 'range';
      readonly start: number;
      readonly end: number;
      readonly exclusiveStart: boolean;
      readonly limit: number;
    }
  | { readonly kind: 'reopen' };

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), at: pick, value: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: pick }) },
  { weight: 1, arbitrary: fc.constant<Change>({ kind: 'throw' }) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('writes' as const),
      writes: fc.array(fc.array(change, { maxLength: 5 }), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      ...{ kind: fc.constant('range' as const), start: pick, end: pick },
      ...{ exclusiveStart: fc.boolean(), limit: fc.nat({ max: 6 }) },
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'reopen' }) },
);

async function runStore(disk: DiskSubject, keys: readonly Key[], steps: readonly Step[]): Promise<unknown[]> {
  const open = (): Store<Words> =>
    disk.stores.open({ name: 'x', path: disk.path('store'), layout: 'folder', maxTables: 2 }, (source) =>
      source.table('words'),
    );
  const keyAt = (at: number): Key => keys[at % keys.length] ?? 0;
  const seen: unknown[] = [];
  let store = open();
  const apply = (words: Words, one: Change): void => {
    switch (one.kind) {
      case 'put':
        seen.push(words.get(keyAt(one.at)) ?? null);
        return void words.put(keyAt(one.at), one.value);
      case 'remove':
        return void words.remove(keyAt(one.at));
      case 'throw':
        throw new Error('thrown');
    }
  };
  for (const next of steps) {
    if (next.kind === 'reopen') {
      await store.close();
      disk.crash();
      store = open();
    } else if (next.kind === 'writes') {
      const writes = next.writes.map((changes) => store.write((words) => changes.forEach((one) => apply(words, one))));
      seen.push((await Promise.allSettled(writes)).map(({ status }) => status));
    } else {
      const { start, end, exclusiveStart, limit } = next;
      const range = { start: keyAt(start), end: keyAt(end), exclusiveStart, limit };
      seen.push(store.read((words) => [...words.getRange({ ...range })]));
    }
    seen.push(store.read((words) => [[...words.getRange()], words.getKeysCount(), words.get(keyAt(0)) ?? null]));
  }
  await store.close();
  return seen;
}

type Call = readonly ['mkdir' | 'append' | 'write' | 'stat' | 'rm' | 'rename' | 'read', string, string];

const name = fc.constantFrom('a', 'b', 'c', 'a/b', 'a/c', 'b/a', 'c/a/b');
const call: fc.Arbitrary<Call> = fc.tuple(
  fc.constantFrom('mkdir', 'append', 'append', 'write', 'stat', 'rm', 'rename', 'read'),
  name,
  name,
);

async function runFiles(disk: DiskSubject, calls: readonly Call[]): Promise<string[]> {
  const { files, path } = disk;
  const isFolder = (at: string): Promise<boolean> =>
    files.stat(path(at), { bigint: true }).then(
      (found) => found.isDirectory(),
      () => false,
    );
  const act = async ([kind, at, other]: Call, index: number): Promise<unknown> => {
    switch (kind) {
      case 'mkdir':
        return void (await files.mkdir(path(at), { recursive: true }));
      case 'append':
      case 'write': {
        const file = await files.open(path(at), kind === 'append' ? 'a+' : 'w', 0o600);
        await file.appendFile(`${index};`);
        await file.sync();
        return file.close();
      }
      case 'stat': {
        const facts = await files.stat(path(at), { bigint: true });
        return facts.isDirectory() ? 'folder' : Number(facts.size);
      }
      case 'rm':
        return files.rm(path(at), { force: index % 2 === 0 });
      case 'rename':
        // Files are renamed only: the simulated disk has no other rules.
        if (await isFolder(at)) return 'left out';
        return files.rename(path(at), path(other));
      case 'read': {
        const file = await files.open(path(at), 'r');
        const { size } = await file.stat({ bigint: true });
        const buffer = Buffer.alloc(Math.max(1, Number(size)));
        const text = file
          .read(buffer, 0, buffer.length, 0)
          .then(({ bytesRead }) => buffer.toString('utf8', 0, bytesRead));
        return text.finally(() => file.close());
      }
    }
  };
  const seen: string[] = [];
  for (const [index, one] of calls.entries()) {
    seen.push(
      await act(one, index).then(
        (value) => `${one.join(' ')}: ${String(value)}`,
        (error: unknown) => `${one.join(' ')}: ${(error as { code?: string }).code}`,
      ),
    );
  }
  return seen;
}

describe('the same random calls on the real and on the simulated disk', () => {
  it('of a store are read alike', async () => {
    await fc.assert(
      fc.asyncProperty(pool, fc.array(step, { minLength: 1, maxLength: 12 }), async (keys, steps) => {
        const [real, simulated] = await onBoth((disk) => runStore(disk, keys, steps));
        expect(simulated).toEqual(real);
      }),
      { numRuns: 40 },
    );
  });

  it('of files end alike', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 30 }), async (calls) => {
        const [real, simulated] = await onBoth((disk) => runFiles(disk, calls));
        expect(simulated).toEqual(real);
      }),
      { numRuns: 100 },
    );
  });
});
