export { ConfigurationTable } from './configuration-table';
export { Database, type DatabaseOptions } from './database';
export { databaseUrlProblem } from './database-checks';
export { DatabaseError, databaseProblem } from './database-error';
export type {
  CommandArgs,
  CommandName,
  CommandResult,
  Entry,
  EntryId,
  FleetCommands,
  FleetDatabase,
  LeaseState,
} from './fleet-database';
export type { FleetHost, Holder, HostReport, HostRow, LeaseRow, OpenLease, StoredVersion } from './fleet-rows';
export { FleetTable } from './fleet-table';
export { HostReports } from './host-reports';
export { LeaseLostError, type Lease } from './lease';
export { LeaseTable } from './lease-table';
export { appliedPayload } from './notifications';
export { PostgresStore, type PostgresStoreOptions } from './postgres-store';
export { StateImport, StateImportError, type ImportedUnit } from './state-import';
