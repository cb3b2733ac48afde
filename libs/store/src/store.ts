import type { TableSource } from './table';

export interface StoreOptions {
  /** What it holds, for messages: "the trade journal". */
  readonly name: string;
  /** The folder of the database, or its file. */
  readonly path: string;
  /** `folder`: `data.mdb` and `lock.mdb` in the folder. `file`: the file, and its lock beside it. */
  readonly layout: 'folder' | 'file';
  /** Most tables it can have. */
  readonly maxTables: number;
  /** Bytes of disk space that are kept allocated, so that a bounded number of writes succeeds on a full disk. */
  readonly reserveBytes?: number;
  /** A database that cannot be written is opened as a private copy, and refuses writes. Without this it is not opened. */
  readonly copyWhenUnwritable?: boolean;
}

/** Whether the store can be written; while it can only use its reserve, it counts as not writable. */
export type StoreCondition = { readonly writable: true } | { readonly writable: false; readonly reason: string };

/** The store cannot be used; nothing in it was changed. */
export class StoreOpenError extends Error {}

/** A change is not durable. */
export class StoreWriteError extends Error {}

/** Tables that keep what was written. A write resolves when it is durable, and rejects when it is not. */
export interface TableStore<T> {
  /** Whether writes succeed, by what is known now: see {@link probe}. */
  readonly condition: StoreCondition;

  /** Reads from the newest commit. @throws Error when the store is closed */
  read<R>(reading: (tables: T) => R): R;

  /**
   * Applies a change as a whole; resolves when it is durable. Changes are applied one after the other, in their order.
   * @throws StoreWriteError when it is not durable
   */
  write(change: (tables: T) => void): Promise<void>;

  /** Finds out whether writes succeed now, and goes back to its place once it can be written. Never rejects. */
  probe(): Promise<StoreCondition>;

  /** Waits for writes under way and closes; later reads and writes are refused. */
  close(): Promise<void>;
}

/** Tables on a disk. */
export interface Store<T> extends TableStore<T> {
  /**
   * Copies the newest commit to another folder while reads and writes go on. The copy is not flushed.
   * @param folder holds no database; made when it does not exist
   * @throws Error of the file system, or when the store is closed or cannot be written
   */
  copyTo(folder: string): Promise<void>;
}

/** Opens stores: LMDB files, or those of a simulated disk. An abstract class, so that it is its own injection token. */
export abstract class StoreEngine {
  /**
   * Opens a store after a check of its file; makes it when it does not exist.
   * @param define names the tables; called again when the store opens its file again
   * @throws StoreOpenError
   */
  abstract open<T>(options: StoreOptions, define: (source: TableSource) => T): Store<T>;
}
