export { bytesOfKey, keyOfBytes } from './key-bytes';
export { copyDatabase, requireSoundCopy } from './copy-database';
export { LmdbStore, lmdbStores } from './lmdb-store';
export { LoggedChanges, MemoryTable, type ChangeLog } from './memory-table';
export { SortedEntries, type EntryChange } from './sorted-entries';
export { storedEntries, type StoredEntry } from './stored-entries';
export {
  StoreEngine,
  StoreOpenError,
  StoreWriteError,
  type Store,
  type StoreCondition,
  type StoreOptions,
  type TableStore,
} from './store';
export type { Key, Range, Table, TableFormat, TableSource } from './table';
