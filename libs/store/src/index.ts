export { makePrivateFolder } from './private-modes';
export { Store, StoreOpenError, StoreWriteError, type StoreCondition, type StoreOptions } from './store';
export type { Key, Table, TableSource } from './table';
