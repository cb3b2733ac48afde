export { bytesOfKey, keyOfBytes } from './key-bytes';
export { copyDatabase, requireSoundCopy } from './copy-database';
export { LmdbStore, lmdbStores } from './lmdb-store';
export {
  StoreEngine,
  StoreOpenError,
  StoreWriteError,
  type Store,
  type StoreCondition,
  type StoreOptions,
} from './store';
export type { Key, Range, Table, TableFormat, TableSource } from './table';
