import {
  LoggedChanges,
  MemoryTable,
  SortedEntries,
  StoreWriteError,
  type ChangeLog,
  type EntryChange,
  type Key,
  type StoreCondition,
  type Table,
  type TableFormat,
  type TableSource,
  type TableStore,
} from '@libs/store';
import { databaseProblem } from './database-error';
import type { CommandArgs, CommandName, CommandResult, FleetDatabase } from './fleet-database';
import { LeaseLostError, type Lease } from './lease';

export interface PostgresStoreOptions {
  /** What it holds, for messages: "the state of trend". */
  readonly name: string;
  /** The lease whose entries it has, and under whose token it writes. */
  readonly lease: Lease;
}

/** An earlier write whose connection was lost can be committed late once; more often it is another writer's. */
const mostAttempts = 3;

/**
 * The tables of one lease in PostgreSQL, with a copy in memory for reads. A write is one statement that does nothing
 * unless the lease has the store's token and the number of commits that the store knows: neither a replaced holder nor a
 * statement of a lost connection that arrives late changes anything.
 */
export class PostgresStore<T> implements TableStore<T> {
  private readonly tables: T;
  private readonly formats = new Map<string, TableFormat>();
  private contents = new Map<string, SortedEntries>();
  /** Commits that the copy in memory has; a text, because it is a bigint. */
  private commits = '0';
  /** Whether the copy has the newest commit: not after a write without an answer. */
  private isCurrent = false;
  private log: ChangeLog | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private failure: string | null = null;
  private failures = 0;
  private lost: LeaseLostError | null = null;
  private closed = false;

  private constructor(
    private readonly database: Pick<FleetDatabase, 'call'>,
    private readonly options: PostgresStoreOptions,
    define: (source: TableSource) => T,
  ) {
    this.tables = define({ table: (name, format = 'json') => this.table(name, format) });
  }

  /**
   * Reads all entries of a lease.
   * @throws LeaseLostError when another holder has the lease
   * @throws Error of the database
   */
  static async open<T>(
    database: Pick<FleetDatabase, 'call'>,
    options: PostgresStoreOptions,
    define: (source: TableSource) => T,
  ): Promise<PostgresStore<T>> {
    const store = new PostgresStore(database, options, define);
    await store.load();
    return store;
  }

  /** @inheritDoc */
  get condition(): StoreCondition {
    const reason = this.lost?.message ?? this.failure;
    return reason === null ? { writable: true } : { writable: false, reason };
  }

  /** @inheritDoc */
  read<R>(reading: (tables: T) => R): R {
    if (this.closed) throw new Error(`${this.options.name} is closed`);
    return reading(this.tables);
  }

  /**
   * @inheritDoc The change may run a second time, on tables that were read again.
   * @throws LeaseLostError when another holder has the lease; nothing is written then, now or later
   */
  write(change: (tables: T) => void): Promise<void> {
    if (this.closed) return Promise.reject(new StoreWriteError(`${this.options.name} is closed`));
    const { failures } = this;
    return this.inTurn(async () => {
      // Those that wait while the database hangs fail together, not each after an attempt of its own.
      if (this.failures !== failures)
        throw new StoreWriteError(`${this.options.name} cannot be written: ${this.failure}`);
      await this.commit(change);
    });
  }

  /** Finds out whether the database takes writes now, and whether the lease is still held. Never rejects. */
  async probe(): Promise<StoreCondition> {
    // A write that fails states it in the condition.
    if (!this.closed && this.lost === null)
      await this.inTurn(() => this.commit(() => undefined)).catch(() => undefined);
    return this.condition;
  }

  /** @inheritDoc */
  async close(): Promise<void> {
    this.closed = true;
    await this.last;
  }

  private inTurn<R>(work: () => Promise<R>): Promise<R> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }

  private async commit(change: (tables: T) => void): Promise<void> {
    try {
      for (let attempt = 1; attempt <= mostAttempts; attempt++) {
        if (this.lost) throw this.lost;
        if (!this.isCurrent) await this.load();
        const changes = this.changesOf(change);
        if (!(await this.send(changes))) continue;
        this.apply(changes);
        this.failure = null;
        return;
      }
      throw new StoreWriteError(`${this.options.name} is written by another program under the same token`);
    } catch (error) {
      if (error instanceof LeaseLostError) this.lost = error;
      throw this.writeErrorOf(error);
    }
  }

  /** What a change does to the entries; the last value of each. The copy stays as it is. @throws StoreWriteError */
  private changesOf(change: (tables: T) => void): readonly EntryChange[] {
    const logged = new LoggedChanges();
    this.log = logged;
    try {
      change(this.tables);
    } catch (error) {
      throw new StoreWriteError(messageOf(error), { cause: error });
    } finally {
      this.log = null;
      this.apply([...logged.befores].reverse());
    }
    return [...new Map(logged.afters.map((after) => [`${after.table} ${after.key}`, after])).values()];
  }

  /** @returns false when nothing was written: the token or the number of commits is another one */
  private async send(changes: readonly EntryChange[]): Promise<boolean> {
    const removed = changes.filter(({ value }) => value === null);
    const puts = changes.flatMap(({ table, key, value }) => {
      return value === null ? [] : [{ table, key: bytesOf(key), value: this.bytesOfValue(table, value) }];
    });
    this.isCurrent = false;
    const commits = await this.call('write', {
      lease: this.options.lease,
      commits: this.commits,
      removed: removed.map(({ table, key }) => ({ table, key: bytesOf(key) })),
      puts,
    });
    if (commits === null) return false;
    this.commits = commits;
    this.isCurrent = true;
    return true;
  }

  /** Reads all entries with the number of commits. @throws LeaseLostError, Error of the database */
  private async load(): Promise<void> {
    const { lease } = this.options;
    const state = await this.call('read', { lease });
    if (state === null) throw new LeaseLostError(lease);
    const contents = new Map<string, SortedEntries>();
    for (const { table, key, value } of state.entries) {
      // A later version may have tables that this one does not.
      if (!this.formats.has(table)) continue;
      entriesOf(contents, table).set(key.toString('latin1'), this.textOfValue(table, value));
    }
    this.contents = contents;
    this.commits = state.commits;
    this.isCurrent = true;
  }

  private async call<Name extends CommandName>(name: Name, args: CommandArgs<Name>): Promise<CommandResult<Name>> {
    try {
      return await this.database.call(name, args);
    } catch (error) {
      this.failure = databaseProblem(error);
      this.failures++;
      throw error;
    }
  }

  private table<V, K extends Key>(name: string, format: TableFormat): Table<V, K> {
    this.formats.set(name, format);
    return new MemoryTable<V, K>(
      name,
      format,
      () => entriesOf(this.contents, name),
      () => this.openLog(),
    );
  }

  private openLog(): ChangeLog {
    if (!this.log) throw new Error('a table can be changed only within a write');
    return this.log;
  }

  private apply(changes: readonly EntryChange[]): void {
    for (const { table, key, value } of changes) entriesOf(this.contents, table).set(key, value);
  }

  private bytesOfValue(table: string, value: string): Buffer {
    return Buffer.from(value, this.formats.get(table) === 'binary' ? 'latin1' : 'utf8');
  }

  private textOfValue(table: string, value: Buffer): string {
    return value.toString(this.formats.get(table) === 'binary' ? 'latin1' : 'utf8');
  }

  private writeErrorOf(error: unknown): StoreWriteError {
    if (error instanceof StoreWriteError) return error;
    return new StoreWriteError(`${this.options.name} cannot be written: ${databaseProblem(error)}`, { cause: error });
  }
}

function entriesOf(contents: Map<string, SortedEntries>, name: string): SortedEntries {
  let entries = contents.get(name);
  if (!entries) contents.set(name, (entries = new SortedEntries()));
  return entries;
}

function bytesOf(key: string): Buffer {
  return Buffer.from(key, 'latin1');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
