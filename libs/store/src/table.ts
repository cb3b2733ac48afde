import type { Database, Key } from 'lmdb';

export type { Key };

/** One table of a store. `put`, `remove` and `clearSync` are for changes within {@link Store.write} only. */
export type Table<V, K extends Key> = Pick<
  Database<V, K>,
  'get' | 'put' | 'remove' | 'getKeys' | 'getRange' | 'getKeysCount' | 'doesExist' | 'clearSync'
>;

/** How a table keeps its entries: any keys and JSON, or the bytes of keys and values as they are. */
export type TableFormat = 'json' | 'binary';

/** Hands out tables by name, and makes those that do not exist. */
export interface TableSource {
  table<V, K extends Key>(name: string, format?: TableFormat): Table<V, K>;
}
