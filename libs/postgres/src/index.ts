export { ConfigurationTable, type StoredVersion } from './configuration-table';
export { Database, type DatabaseOptions } from './database';
export { databaseUrlProblem } from './database-checks';
export { DatabaseError, databaseProblem } from './database-error';
export { FleetTable, type FleetHost, type LeaseRow } from './fleet-table';
export { HostReports, type HostReport } from './host-reports';
export { LeaseLostError, type Lease } from './lease';
export { LeaseTable, releaseChannel, type Holder, type HostRow, type OpenLease } from './lease-table';
export { PostgresStore, type PostgresStoreOptions } from './postgres-store';
