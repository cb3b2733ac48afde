import type { FleetDatabase } from './fleet-database';
import type { HostReport } from './fleet-rows';

/** What each host shows of itself to the others. */
export class HostReports {
  constructor(private readonly database: Pick<FleetDatabase, 'call'>) {}

  /** Replaces the report of a host, which has a row since its first renewal. */
  publish(host: string, report: string): Promise<void> {
    return this.database.call('publish', { host, report });
  }

  /** All hosts by name, also those that were killed within the last day. */
  read(): Promise<readonly HostReport[]> {
    return this.database.call('reports', {});
  }
}
