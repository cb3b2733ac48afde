import type { Files, OpenFile } from '@libs/files';
import {
  StoreEngine,
  type Key,
  type Store,
  type StoreOptions,
  type Table,
  type TableFormat,
  type TableSource,
} from '@libs/store';
import type { PortCalls } from './port-calls';

/** An entry of a watched table that is on disk. */
export interface CommittedEntry {
  readonly key: string;
  readonly value: unknown;
}

/** Stores whose writes and probes pass by the calls of a program, where it can be killed. */
export class GatedStores extends StoreEngine {
  /**
   * @param nowMs virtual milliseconds
   * @param watched the tables whose entries are reported
   * @param committed called after every commit, with the name of the store, the entries of the watched tables that are on disk
   * now, and the time at which the write began
   * @param found called when a store is opened, with all entries of its watched tables: a commit that a kill cut short may be on
   * disk, and no call of {@link committed} has reported it
   */
  constructor(
    private readonly stores: StoreEngine,
    private readonly calls: PortCalls,
    private readonly nowMs: () => number,
    private readonly watched: readonly string[],
    private readonly committed: (store: string, entries: readonly CommittedEntry[], beganMs: number) => void,
    private readonly found: (entries: readonly CommittedEntry[]) => void = () => undefined,
  ) {
    super();
  }

  open<T>(options: StoreOptions, define: (source: TableSource) => T): Store<T> {
    const { calls } = this;
    let written: CommittedEntry[] = [];
    const tables = new Map<string, Pick<Table<unknown, Key>, 'getRange'>>();
    const store = this.stores.open(options, (source) =>
      define({
        table: <V, K extends Key>(name: string, format?: TableFormat): Table<V, K> => {
          const table = source.table<V, K>(name, format);
          if (!this.watched.includes(name)) return table;
          tables.set(name, { getRange: () => table.getRange() });
          return noting(table, (key, value) => written.push({ key: String(key), value }));
        },
      }),
    );
    this.found(
      store.read(() =>
        [...tables.values()].flatMap((table) =>
          [...table.getRange()].map(({ key, value }) => ({ key: String(key), value })),
        ),
      ),
    );
    const write = async (change: (tables: T) => void, beganMs: number): Promise<void> => {
      let mine: CommittedEntry[] = [];
      await store.write((tables) => {
        written = [];
        change(tables);
        mine = written;
      });
      this.committed(options.name, mine, beganMs);
    };
    return {
      get condition() {
        return store.condition;
      },
      read: (reading) => store.read(reading),
      write: (change) => {
        const beganMs = this.nowMs();
        return calls.pass(`store write ${options.name}`, () => write(change, beganMs));
      },
      copyTo: (folder) => calls.pass(`store copy ${options.name}`, () => store.copyTo(folder)),
      probe: () => calls.pass('store probe', () => store.probe()),
      close: () => store.close(),
    };
  }
}

/** The same table; every key that is put is reported. */
function noting<V, K extends Key>(table: Table<V, K>, put: (key: K, value: V) => void): Table<V, K> {
  return {
    get: (key) => table.get(key),
    doesExist: (key) => table.doesExist(key),
    getKeys: (range) => table.getKeys(range),
    getRange: (range) => table.getRange(range),
    getKeysCount: () => table.getKeysCount(),
    put: (key, value) => {
      put(key, value);
      return table.put(key, value);
    },
    remove: (key) => table.remove(key),
  };
}

/** Files whose calls pass by the calls of a program, where it can be killed. */
export function gatedFiles(files: Files, calls: PortCalls): Files {
  return {
    mkdir: (path, options) => calls.pass('file mkdir', () => files.mkdir(path, options)),
    open: async (path, flag, mode) =>
      gatedFile(await calls.pass('file open', () => files.open(path, flag, mode)), calls),
    chmod: (path, mode) => calls.pass('file chmod', () => files.chmod(path, mode)),
    readdir: (path) => calls.pass('file readdir', () => files.readdir(path)),
    stat: (path, options) => calls.pass('file stat', () => files.stat(path, options)),
    rm: (path, options) => calls.pass('file rm', () => files.rm(path, options)),
    rename: (from, to) => calls.pass('file rename', () => files.rename(from, to)),
  };
}

function gatedFile(file: OpenFile, calls: PortCalls): OpenFile {
  return {
    stat: (options) => calls.pass('file stat', () => file.stat(options)),
    read: (...range) => calls.pass('file read', () => file.read(...range)),
    appendFile: (text) => calls.pass('file append', () => file.appendFile(text)),
    datasync: () => calls.pass('file datasync', () => file.datasync()),
    sync: () => calls.pass('file sync', () => file.sync()),
    close: () => calls.pass('file close', () => file.close()),
  };
}
