import type { FleetDatabase } from './fleet-database';
import type { StoredVersion } from './fleet-rows';

/** The configurations of a fleet, each with a version. None is ever changed or removed. */
export class ConfigurationTable {
  constructor(private readonly database: Pick<FleetDatabase, 'call'>) {}

  /** The newest version; null before the first one. */
  newest(): Promise<StoredVersion | null> {
    return this.database.call('newest', {});
  }

  /** The number of the newest version; 0 before the first one. */
  newestVersion(): Promise<number> {
    return this.database.call('newestVersion', {});
  }

  /** Adds a version and notifies the hosts. @returns false if the version exists already */
  apply(version: StoredVersion): Promise<boolean> {
    return this.database.call('apply', version);
  }
}
