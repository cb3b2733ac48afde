import type { Files, OpenFile } from '@libs/files';
import type { Store, StoreEngine, StoreOptions, Table } from '@libs/store';

/** A small disk that can be filled and made read-only. */
export interface ScenarioDisk {
  readonly files: Files;
  readonly stores: StoreEngine;
  readonly path: (name: string) => string;
  fill(): void;
  makeSpace(): void;
  setReadOnly(isReadOnly: boolean): void;
}

/** What each operation of a scenario came to, in order: `done`, a value, or the error in words. */
export type Recording = Readonly<Record<string, string | number | boolean>>;

/** What each scenario did on a disk. */
export type Recordings = Readonly<Record<string, Recording>>;

/** What depends on the pages that LMDB has free: the simulated disk need not do the same here. */
export const ownAffairs = {
  commits: 'commits until one fails',
  error: 'words of the error',
  next: 'the next write',
} as const;

/** A recording without what is not compared word by word. */
export function comparable(recording: Recording): Recording {
  const own: readonly string[] = Object.values(ownAffairs);
  return Object.fromEntries(Object.entries(recording).filter(([operation]) => !own.includes(operation)));
}

type Words = Table<string, string>;

class Recorder {
  readonly recording: Record<string, string | number | boolean> = {};

  constructor(private readonly disk: ScenarioDisk) {}

  async note(operation: string, act: () => unknown): Promise<void> {
    this.recording[operation] = await this.outcome(act);
  }

  /** The words of the error with the paths as the scenario names them. */
  private async outcome(act: () => unknown): Promise<string | number | boolean> {
    try {
      const value: unknown = await act();
      return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : 'done';
    } catch (error) {
      return plain(error, this.disk);
    }
  }
}

function plain(error: unknown, disk: ScenarioDisk): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
  return reason(message, disk);
}

/** `Error: ` is there when the error is from another realm, as in a test runner. */
function reason(text: string, disk: ScenarioDisk): string {
  return text.replaceAll(disk.path(''), '').replaceAll('Error: ', '');
}

/** Each with a fresh disk. */
export const diskScenarios: Readonly<Record<string, (disk: ScenarioDisk) => Promise<Recording>>> = {
  'files on a full disk': filesWhenFull,
  'files on a read-only disk': filesWhenReadOnly,
  'a store with a reserve on a full disk': (disk) => storeWhenFull(disk, 1_024 * 1_024),
  'a store without a reserve on a full disk': (disk) => storeWhenFull(disk, 0),
  'a new store on a full disk': newStoreWhenFull,
  'a store on a read-only disk': storeWhenReadOnly,
};

async function filesWhenFull(disk: ScenarioDisk): Promise<Recording> {
  const { files, path } = disk;
  const recorder = new Recorder(disk);
  const log = await files.open(path('log'), 'a+', 0o600);
  await log.appendFile('one\n');
  await log.datasync();
  disk.fill();
  const size = async (file: OpenFile): Promise<number> => Number((await file.stat({ bigint: true })).size);
  await recorder.note('append within the last block', () => log.appendFile('two\n'));
  await recorder.note('append beyond it', () => log.appendFile('x'.repeat(8_000)));
  await recorder.note('size then', () => size(log));
  await recorder.note('append again', () => log.appendFile('y'));
  await recorder.note('datasync', () => log.datasync());
  await recorder.note('make an empty file', async () => {
    const empty = await files.open(path('empty'), 'a', 0o600);
    await empty.sync();
    await empty.close();
  });
  await recorder.note('make folders', async () => {
    await files.mkdir(path('a/b'), { recursive: true, mode: 0o700 });
  });
  const fresh = await files.open(path('fresh'), 'w', 0o600);
  await recorder.note('write a new file', () => fresh.appendFile('x'));
  await recorder.note('size of the new file', () => size(fresh));
  await fresh.close();
  await recorder.note('rename', () => files.rename(path('empty'), path('log.new')));
  await recorder.note('remove', () => files.rm(path('log.new')));
  disk.makeSpace();
  await recorder.note('append with space', () => log.appendFile('x'.repeat(8_000)));
  await recorder.note('size with space', () => size(log));
  await log.close();
  return recorder.recording;
}

async function filesWhenReadOnly(disk: ScenarioDisk): Promise<Recording> {
  const { files, path } = disk;
  const recorder = new Recorder(disk);
  await (await files.open(path('log'), 'a', 0o600)).close();
  await files.mkdir(path('folder'), { recursive: true });
  disk.setReadOnly(true);
  await recorder.note('append to a file', () => files.open(path('log'), 'a', 0o600));
  await recorder.note('append to a new file', () => files.open(path('new'), 'a', 0o600));
  await recorder.note('overwrite a file', () => files.open(path('log'), 'w', 0o600));
  await recorder.note('append to a folder', () => files.open(path('folder'), 'a', 0o600));
  await recorder.note('read a file', async () => (await files.open(path('log'), 'r')).close());
  await recorder.note('look up a file', async () => (await files.stat(path('log'), { bigint: true })).isDirectory());
  await recorder.note('remove a file', () => files.rm(path('log')));
  await recorder.note('remove nothing', () => files.rm(path('none'), { force: true }));
  await recorder.note('make a folder that is there', async () => {
    await files.mkdir(path('folder'), { recursive: true });
  });
  await recorder.note('make a folder', () => files.mkdir(path('other'), { recursive: true }));
  await recorder.note('rename', () => files.rename(path('log'), path('old')));
  disk.setReadOnly(false);
  await recorder.note('append once it can be written', async () => (await files.open(path('log'), 'a', 0o600)).close());
  return recorder.recording;
}

const value = 'x'.repeat(1_000);

function opened(disk: ScenarioDisk, changes: Partial<StoreOptions> = {}): Store<Words> {
  const options = { name: 'the journal', path: disk.path('journal'), layout: 'folder', maxTables: 8 } as const;
  return disk.stores.open({ ...options, ...changes }, (source) => source.table('words'));
}

function put(store: Store<Words>, key: string): Promise<void> {
  return store.write((words) => void words.put(key, value));
}

const keysOf = (store: Store<Words>): string[] => store.read((words) => [...words.getKeys()]);
const count = (store: Store<Words>): number => keysOf(store).length;

async function storeWhenFull(disk: ScenarioDisk, reserveBytes: number): Promise<Recording> {
  const recorder = new Recorder(disk);
  let store = opened(disk, { reserveBytes });
  const written = new Set<string>();
  const write = async (key: string): Promise<void> => {
    await put(store, key);
    written.add(key);
  };
  const hasWritten = (): boolean => keysOf(store).join() === [...written].sort().join();
  const condition = (): string => conditionOf(store, disk);
  await write('first');
  disk.fill();
  await recorder.note('probe', async () => {
    await store.probe();
    return condition();
  });
  await recorder.note(ownAffairs.error, async () => {
    while (written.size < 5_000) await write(`k${written.size}`);
  });
  await recorder.note(ownAffairs.commits, () => written.size - 1);
  await recorder.note('is writable after a commit that failed', () => store.condition.writable);
  await recorder.note('has what was written, and nothing else', hasWritten);
  await recorder.note(ownAffairs.next, () => write('next'));
  await recorder.note('is writable still', () => store.condition.writable);
  await store.close();
  await recorder.note('open on the full disk', () => {
    store = opened(disk, { reserveBytes });
  });
  await recorder.note('has what was written then', hasWritten);
  await recorder.note('condition then', condition);
  disk.makeSpace();
  await recorder.note('probe with space', async () => {
    await store.probe();
    return condition();
  });
  await recorder.note('write with space', () => write('later'));
  await recorder.note('condition with space', condition);
  await recorder.note('has what was written with space', hasWritten);
  await store.close();
  return recorder.recording;
}

async function newStoreWhenFull(disk: ScenarioDisk): Promise<Recording> {
  const recorder = new Recorder(disk);
  disk.fill();
  await recorder.note('open', () => opened(disk).close());
  await recorder.note('open as a copy', () => opened(disk, { copyWhenUnwritable: true }).close());
  disk.makeSpace();
  const store = opened(disk);
  await recorder.note('open with space and write', () => put(store, 'first'));
  await store.close();
  return recorder.recording;
}

async function storeWhenReadOnly(disk: ScenarioDisk): Promise<Recording> {
  const recorder = new Recorder(disk);
  let store = opened(disk, { reserveBytes: 256 * 1_024 });
  await put(store, 'first');
  await store.close();
  disk.setReadOnly(true);
  await recorder.note('open', () => opened(disk));
  await recorder.note('open as a copy', () => {
    store = opened(disk, { reserveBytes: 256 * 1_024, copyWhenUnwritable: true });
  });
  const condition = (): string => conditionOf(store, disk);
  await recorder.note('entries of the copy', () => count(store));
  await recorder.note('condition', condition);
  await recorder.note('write', () => put(store, 'second'));
  await recorder.note('probe', async () => {
    await store.probe();
    return condition();
  });
  disk.setReadOnly(false);
  await recorder.note('probe once it can be written', async () => {
    await store.probe();
    return condition();
  });
  await recorder.note('write then', () => put(store, 'second'));
  await recorder.note('entries then', () => count(store));
  await store.close();
  return recorder.recording;
}

function conditionOf({ condition }: Store<Words>, disk: ScenarioDisk): string {
  return condition.writable ? 'writable' : reason(condition.reason, disk);
}
