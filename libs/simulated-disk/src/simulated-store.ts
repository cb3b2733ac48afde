import { dirname, join } from 'node:path';
import {
  MemoryTable,
  StoreEngine,
  StoreOpenError,
  StoreWriteError,
  type EntryChange,
  type Key,
  type Store,
  type StoreCondition,
  type StoreOptions,
  type Table,
  type TableFormat,
  type TableSource,
} from '@libs/store';
import { CommitError, CommitQueue, writeErrorOf } from './commit-queue';
import { Database } from './database';
import { commitErrorTexts, DiskError } from './disk-error';
import type { Machine } from './machine';
import type { FileNode } from './nodes';
import { blockBytes, type Volume } from './volume';

/** What the real store needs of the disk before it makes a database, and while it probes. */
const newDatabaseBytes = 256 * 1_024;
const probeBytes = 64 * 1_024;
const lockFileBytes = 8_272;
/** The reserve may be short by this much before it is filled up. */
const slackBytes = 64 * 1_024;

/** Stores of a simulated disk. */
export class SimulatedStores extends StoreEngine {
  constructor(
    private readonly machine: Machine,
    private readonly volume: Volume,
  ) {
    super();
  }

  open<T>(options: StoreOptions, define: (source: TableSource) => T): Store<T> {
    this.machine.requireRunning();
    return new SimulatedStore(this.machine, this.volume, options, define);
  }
}

interface Opened<T> {
  readonly database: Database;
  /** Null for a copy. */
  readonly file: FileNode | null;
  readonly commits: CommitQueue;
  readonly tables: T;
}

/** A store in the memory of a simulated disk, with the conditions and errors of `LmdbStore`. */
class SimulatedStore<T> implements Store<T> {
  private opened: Opened<T>;
  private closed = false;
  private failure: string | null = null;
  /** Why the last probe failed; null when it succeeded. */
  private obstacle: string | null = null;
  private probing: Promise<StoreCondition> | null = null;

  constructor(
    private readonly machine: Machine,
    private readonly volume: Volume,
    private readonly options: StoreOptions,
    private readonly define: (source: TableSource) => T,
  ) {
    try {
      this.opened = this.openFile();
    } catch (error) {
      if (error instanceof StoreOpenError) throw error;
      this.failure = messageOf(error);
      if (!options.copyWhenUnwritable || !this.hasDatabase()) throw this.openError(error);
      this.opened = this.openCopy();
    }
  }

  get condition(): StoreCondition {
    const reason = this.obstacle ?? this.failure;
    return reason === null ? { writable: true } : { writable: false, reason };
  }

  read<R>(reading: (tables: T) => R): R {
    if (this.closed) throw new Error(`${this.options.name} is closed`);
    return reading(this.opened.tables);
  }

  async write(change: (tables: T) => void): Promise<void> {
    if (this.closed) throw new StoreWriteError(`${this.options.name} is closed`);
    const { commits, tables } = this.opened;
    this.requireFile();
    try {
      await commits.add(() => change(tables));
    } catch (error) {
      if (error instanceof CommitError) this.failure = error.message;
      throw writeErrorOf(error);
    }
  }

  async copyTo(folder: string): Promise<void> {
    if (this.closed) throw new Error(`${this.options.name} is closed`);
    this.requireFile();
    const copy = this.opened.database.copy();
    await this.machine.perform(this.machine.pace().operationMs, () => this.writeCopy(copy, folder), noEffect);
  }

  probe(): Promise<StoreCondition> {
    return (this.probing ??= this.runProbe().finally(() => (this.probing = null)));
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.probing;
    await this.opened.commits.idle();
  }

  private async runProbe(): Promise<StoreCondition> {
    if (this.closed) return this.condition;
    try {
      await this.machine.perform(this.machine.pace().operationMs, () => this.probeDisk(), noEffect);
      if (this.opened.file === null) this.leaveCopy();
      else if (this.failure !== null) await this.write(noEffect);
      this.obstacle = null;
    } catch (error) {
      this.obstacle = messageOf(error);
    }
    return this.condition;
  }

  /** @throws DiskError, or StoreOpenError when the folder has a database */
  private writeCopy(copy: Database, folder: string): void {
    this.volume.makeFolders(folder);
    const path = join(folder, 'data.mdb');
    if (this.volume.lookup(path)) throw new StoreOpenError(`there is a database in ${folder}`);
    const file = this.volume.openForWriting(path);
    if (!this.volume.allocate(file, copy.usedBytes)) throw new DiskError('ENOSPC', 'write');
    file.database = copy;
  }

  /** Writes a file beside the database and removes it. @throws DiskError */
  private probeDisk(): void {
    const path = `${this.dataFile}.probe`;
    const file = this.volume.openForWriting(path);
    try {
      this.volume.append(file, Buffer.alloc(probeBytes));
    } finally {
      this.volume.remove(path, true);
    }
  }

  private leaveCopy(): void {
    this.failure = null;
    this.opened = this.openFile();
  }

  private openFile(): Opened<T> {
    const path = this.dataFile;
    this.volume.makeFolders(dirname(path));
    const found = this.volume.lookup(path);
    if (found?.kind === 'file') this.requireSound(found);
    if (!this.hasDatabase()) this.requireSpace(path);
    const file = this.volume.openForWriting(path);
    this.requireLockFile();
    file.database ??= new Database();
    if (!this.volume.allocate(file, Math.max(file.allocatedBytes, file.database.usedBytes))) {
      throw new DiskError('ENOSPC', 'write');
    }
    this.volume.sync(file, 'fsync');
    const opened = this.openedOf(file.database, file);
    this.failure = this.fillUpProblem(file);
    return opened;
  }

  /** What the file held when it was opened; it takes no changes. */
  private openCopy(): Opened<T> {
    const found = this.volume.lookup(this.dataFile);
    if (found?.kind !== 'file') throw this.openError(new DiskError('ENOENT', 'copyfile', this.dataFile));
    return this.openedOf(found.database ?? new Database(), null);
  }

  private openedOf(database: Database, file: FileNode | null): Opened<T> {
    const commits = new CommitQueue(this.machine, {
      apply: (changes) => database.apply(changes),
      commit: (changes) => this.commit(database, file, changes),
    });
    const table = <V, K extends Key>(name: string, format: TableFormat = 'json'): Table<V, K> =>
      new MemoryTable<V, K>(
        name,
        format,
        () => database.table(name),
        () => commits.log,
      );
    return { database, file, commits, tables: this.define({ table }) };
  }

  /** @throws CommitError with nothing changed */
  private commit(database: Database, file: FileNode | null, changes: readonly EntryChange[]): void {
    if (file === null) throw new CommitError('a copy cannot be changed');
    if (this.volume.isReadOnly) throw new CommitError(commitErrorTexts.EROFS);
    if (this.volume.failsSyncs) throw new CommitError(commitErrorTexts.EIO);
    const shortage = this.fillUpProblem(file);
    const befores = changes.map(({ table, key }) => ({ table, key, value: database.table(table).get(key) ?? null }));
    database.apply(changes);
    if (!this.volume.allocate(file, Math.max(file.allocatedBytes, database.usedBytes))) {
      database.apply(befores);
      throw new CommitError(commitErrorTexts.ENOSPC);
    }
    this.failure = shortage;
  }

  /** Takes blocks beyond the last page, as many as there are. */
  private fillUpProblem(file: FileNode): string | null {
    const { reserveBytes = 0 } = this.options;
    const usedBytes = file.database?.usedBytes ?? 0;
    if (reserveBytes === 0 || file.allocatedBytes - usedBytes > reserveBytes - slackBytes) return null;
    if (this.volume.isReadOnly) return new DiskError('EROFS', 'write').message;
    if (this.volume.allocate(file, usedBytes + reserveBytes)) return null;
    const blocks = Math.floor(this.volume.freeBytes / blockBytes);
    this.volume.allocate(file, file.allocatedBytes + blocks * blockBytes);
    return new DiskError('ENOSPC', 'write').message;
  }

  /** @throws StoreOpenError */
  private requireSound({ database, bytes }: FileNode): void {
    const problem = database ? database.damage : bytes.length > 0 ? 'the file is not a database' : null;
    if (problem !== null) {
      throw new StoreOpenError(`${this.options.name} in ${this.dataFile} is damaged: ${problem}`);
    }
  }

  /** @throws DiskError unless a new database can be made */
  private requireSpace(path: string): void {
    const probe = `${path}.tmp`;
    try {
      this.volume.append(this.volume.openForWriting(probe), Buffer.alloc(newDatabaseBytes));
    } finally {
      if (this.volume.lookup(probe)) this.volume.remove(probe, true);
    }
  }

  /** @throws DiskError */
  private requireLockFile(): void {
    const path = this.lockFile;
    const isThere = this.volume.lookup(path) !== undefined;
    const file = this.volume.openForWriting(path);
    if (isThere) return;
    try {
      this.volume.append(file, Buffer.alloc(lockFileBytes));
    } catch (error) {
      this.volume.remove(path, true);
      throw error;
    }
  }

  private requireFile(): void {
    if (this.opened.file === null) throw new StoreWriteError(`${this.options.name} cannot be written: ${this.failure}`);
  }

  private hasDatabase(): boolean {
    const node = this.volume.lookup(this.dataFile);
    return node?.kind === 'file' && (node.database !== null || node.bytes.length > 0);
  }

  private openError(error: unknown): StoreOpenError {
    const text = `${this.options.name} in ${this.dataFile} cannot be opened: ${messageOf(error)}`;
    return new StoreOpenError(text, { cause: error });
  }

  private get dataFile(): string {
    return this.options.layout === 'file' ? this.options.path : join(this.options.path, 'data.mdb');
  }

  private get lockFile(): string {
    return this.options.layout === 'file' ? `${this.options.path}-lock` : join(this.options.path, 'lock.mdb');
  }
}

function noEffect(): void {
  return;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
