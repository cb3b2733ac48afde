import type { Key } from 'lmdb';

export type { Key };

/** Which entries of a table, in the order of their keys. */
export interface Range<K extends Key> {
  readonly start?: K;
  /** Not included. */
  readonly end?: K;
  readonly exclusiveStart?: boolean;
  /** Most entries. */
  readonly limit?: number;
}

/**
 * One table of a store. Its keys are ordered as LMDB orders them: numbers, then strings by their UTF-8 bytes, arrays by
 * their elements. `put` and `remove` are for changes within {@link Store.write} only.
 */
export interface Table<V, K extends Key> {
  get(key: K): V | undefined;
  doesExist(key: K): boolean;
  getKeys(range?: Range<K>): Iterable<K>;
  getRange(range?: Range<K>): Iterable<{ readonly key: K; readonly value: V }>;
  getKeysCount(): number;
  /** The returned value has no meaning: the change is on disk when its write resolves. */
  put(key: K, value: V): unknown;
  remove(key: K): unknown;
}

/** How a table keeps its entries: any keys and JSON, or the bytes of keys and values as they are. */
export type TableFormat = 'json' | 'binary';

/** Hands out tables by name, and makes those that do not exist. */
export interface TableSource {
  table<V, K extends Key>(name: string, format?: TableFormat): Table<V, K>;
}
