import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { contentProblem } from './check-in-child';
import { hasDatabase, headerProblem, requireLockFile, requireSpace } from './database-file';
import { makePrivateFile, makePrivateFolder } from './private-modes';
import { Reserve } from './reserve';
import {
  StoreOpenError,
  StoreWriteError,
  type Store,
  type StoreCondition,
  type StoreEngine,
  type StoreOptions,
} from './store';
import type { Key, Table, TableFormat, TableSource } from './table';

const writable: StoreCondition = { writable: true };
const probeBytes = 64 * 1024;

/** One way to open the database: the file itself, or a private copy of it. */
interface Opened<T> {
  readonly root: RootDatabase;
  readonly tables: T;
  readonly reserve: Reserve | null;
  /** Removes what only this process used. */
  readonly discard: () => void;
}

/**
 * An LMDB environment with tables. A write resolves when it is on disk, and rejects when it is not; a full disk never ends
 * the process. The file is checked before it is opened. Single writer: the caller holds the lock of the folder.
 */
export class LmdbStore<T> implements Store<T> {
  private opened: Opened<T>;
  private closed = false;
  /** Why the last write or fill-up failed; null when it succeeded. */
  private failure: string | null = null;
  /** Why the last probe failed; null when it succeeded. A write from the reserve does not prove that the disk has space. */
  private obstacle: string | null = null;
  private isCopy = false;
  /** The result for the commit whose changes are being applied. */
  private filledUp: { readonly problem: string | null } | null = null;
  private probing: Promise<StoreCondition> | null = null;
  /** Ends with the last copy; a database that is closed during a copy would end the process. */
  private copying: Promise<unknown> | null = null;

  private constructor(
    private readonly options: StoreOptions,
    private readonly define: (source: TableSource) => T,
  ) {
    try {
      this.opened = this.openFile();
    } catch (error) {
      if (error instanceof StoreOpenError || !options.copyWhenUnwritable || !hasDatabase(this.dataFile)) {
        throw this.openError(error);
      }
      this.failure = messageOf(error);
      this.isCopy = true;
      this.opened = this.openCopy();
    }
  }

  /**
   * Opens the database, after a check of its file in a process of its own; makes it when it does not exist.
   * @param define names the tables
   * @throws StoreOpenError
   */
  static open<T>(options: StoreOptions, define: (source: TableSource) => T): LmdbStore<T> {
    return new LmdbStore(options, define);
  }

  /** Whether writes succeed, by what is known now: see {@link probe}. */
  get condition(): StoreCondition {
    const reason = this.obstacle ?? this.failure;
    return reason === null ? writable : { writable: false, reason };
  }

  /** Reads from the newest commit. @throws Error when the store is closed */
  read<R>(reading: (tables: T) => R): R {
    if (this.closed) throw new Error(`${this.options.name} is closed`);
    // Without this, reads keep the snapshot of their event turn and miss a commit that was awaited in it.
    this.opened.root.resetReadTxn();
    return reading(this.opened.tables);
  }

  /** Applies a change as a whole; resolves when it is on disk. @throws StoreWriteError when it is not */
  async write(change: (tables: T) => void): Promise<void> {
    if (this.closed) throw new StoreWriteError(`${this.options.name} is closed`);
    if (this.isCopy) throw new StoreWriteError(`${this.options.name} cannot be written: ${this.failure}`);
    const { root, tables } = this.opened;
    let shortage: string | null = null;
    try {
      // A plain transaction would keep what a change had put before the part of it that cannot be.
      await root.childTransaction(() => {
        change(tables);
        shortage = this.shortage();
      });
    } catch (error) {
      const reason = await reasonOf(error);
      if (isCommitError(error)) this.failure = reason;
      throw new StoreWriteError(reason, { cause: error });
    }
    this.failure = shortage;
  }

  /** @inheritDoc */
  async copyTo(folder: string): Promise<void> {
    if (this.closed) throw new Error(`${this.options.name} is closed`);
    // A copy of the copy that stands in for an unwritable file would look newer than the file.
    if (this.isCopy) throw new StoreWriteError(`${this.options.name} cannot be written: ${this.failure}`);
    makePrivateFolder(folder);
    const file = join(folder, 'data.mdb');
    if (hasDatabase(file)) throw new StoreOpenError(`there is a database in ${folder}`);
    this.copying = Promise.all([this.copying, this.opened.root.backup(folder, true)]);
    await this.copying;
    makePrivateFile(file);
  }

  /** Finds out whether the disk takes writes now, and opens the file itself again once it does. Never rejects. */
  probe(): Promise<StoreCondition> {
    return (this.probing ??= this.runProbe().finally(() => (this.probing = null)));
  }

  /** Waits for writes under way and closes; later reads and writes are refused. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.probing;
    await this.copying?.catch(() => undefined);
    await closeOpened(this.opened);
  }

  /** Fills the reserve up, once for all changes of a commit: LMDB applies them in one go, and the file's pages change after it. */
  private shortage(): string | null {
    if (this.filledUp === null) {
      this.filledUp = { problem: fillUpProblem(this.opened.reserve) };
      queueMicrotask(() => (this.filledUp = null));
    }
    return this.filledUp.problem;
  }

  private async runProbe(): Promise<StoreCondition> {
    if (this.closed) return this.condition;
    try {
      await probeDisk(`${this.dataFile}.probe`);
      if (this.isCopy) await this.leaveCopy();
      else if (this.failure !== null) await this.write(() => undefined);
      this.obstacle = null;
    } catch (error) {
      this.obstacle = messageOf(error);
    }
    return this.condition;
  }

  private async leaveCopy(): Promise<void> {
    const copy = this.opened;
    this.opened = this.openFile();
    this.isCopy = false;
    this.failure = null;
    await closeOpened(copy);
  }

  private openFile(): Opened<T> {
    const { path, layout, reserveBytes = 0 } = this.options;
    const file = this.dataFile;
    makePrivateFolder(dirname(file));
    const problem = headerProblem(file);
    if (problem !== null) throw this.damaged(problem);
    // The files are opened for writing here first: LMDB may end the process when it cannot.
    requireSpace(file);
    const isNew = !hasDatabase(file);
    makePrivateFile(file);
    requireLockFile(this.lockFile);
    makePrivateFile(this.lockFile);
    if (!isNew) this.requireSound(path, layout === 'file');
    const root = this.openRoot(path, layout === 'file');
    try {
      const tables = this.define(sourceOf(root));
      const reserve = reserveBytes === 0 ? null : new Reserve(file, reserveBytes);
      if (reserve) root.transactionSync(() => (this.failure = fillUpProblem(reserve)));
      return { root, tables, reserve, discard: () => reserve?.close() };
    } catch (error) {
      void root.close();
      throw error;
    }
  }

  /** The file as it is, in a folder that is removed at once: LMDB keeps it for as long as it is open. */
  private openCopy(): Opened<T> {
    const folder = mkdtempSync(join(tmpdir(), 'store-'));
    const discard = (): void => rmSync(folder, { recursive: true, force: true });
    try {
      const problem = headerProblem(this.dataFile);
      if (problem !== null) throw this.damaged(problem);
      const copy = join(folder, 'data.mdb');
      copyFileSync(this.dataFile, copy);
      requireLockFile(join(folder, 'lock.mdb'));
      this.requireSound(folder, false);
      const root = this.openRoot(folder, false);
      const tables = this.define(sourceOf(root));
      if (process.platform !== 'win32') discard();
      return { root, tables, reserve: null, discard };
    } catch (error) {
      discard();
      throw this.openError(error);
    }
  }

  private openRoot(path: string, noSubdir: boolean): RootDatabase {
    // Without overlapping sync a write resolves only when its commit has been flushed; without turn batching no promise
    // of LMDB's own rejects unhandled when the disk is full, which would end the process.
    const options = { noSubdir, overlappingSync: false, eventTurnBatching: false } as const;
    return open({ path, maxDbs: this.options.maxTables, encoding: 'json', ...options });
  }

  private requireSound(path: string, noSubdir: boolean): void {
    const problem = contentProblem({ path, noSubdir });
    if (problem !== null) throw this.damaged(problem);
  }

  private damaged(problem: string): StoreOpenError {
    return new StoreOpenError(`${this.options.name} in ${this.dataFile} is damaged: ${problem}`);
  }

  private openError(error: unknown): StoreOpenError {
    if (error instanceof StoreOpenError) return error;
    return new StoreOpenError(`${this.options.name} in ${this.dataFile} cannot be opened: ${messageOf(error)}`, {
      cause: error,
    });
  }

  private get dataFile(): string {
    return this.options.layout === 'file' ? this.options.path : join(this.options.path, 'data.mdb');
  }

  private get lockFile(): string {
    return this.options.layout === 'file' ? `${this.options.path}-lock` : join(this.options.path, 'lock.mdb');
  }
}

/** The stores of this machine. */
export const lmdbStores: StoreEngine = { open: (options, define) => LmdbStore.open(options, define) };

/** Writes a file and removes it. @throws Error of the file system when the disk does not take it */
async function probeDisk(path: string): Promise<void> {
  try {
    await writeFile(path, Buffer.alloc(probeBytes), { mode: 0o600 });
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

async function closeOpened({ root, discard }: Opened<unknown>): Promise<void> {
  // A last write that failed has been reported to its caller.
  await Promise.resolve(root.committed).catch(reasonOf);
  await root.close();
  discard();
}

const formats = { json: { encoding: 'json' }, binary: { encoding: 'binary', keyEncoding: 'binary' } } as const;

function sourceOf(root: RootDatabase): TableSource {
  return {
    table: <V, K extends Key>(name: string, format: TableFormat = 'json'): Table<V, K> =>
      root.openDB<V, K>({ name, ...formats[format] }),
  };
}

/** Inside a transaction an error would undo the change, which does not need the reserve. */
function fillUpProblem(reserve: Reserve | null): string | null {
  try {
    reserve?.fillUp();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function isCommitError(error: unknown): error is Error & { readonly commitError: Promise<unknown> } {
  return error instanceof Error && 'commitError' in error && error.commitError instanceof Promise;
}

/** LMDB reports why a commit failed by a promise on its error, which would end the process when nothing handled it. */
async function reasonOf(error: unknown): Promise<string> {
  if (!isCommitError(error)) return messageOf(error);
  return error.commitError.then(() => error.message, messageOf);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
