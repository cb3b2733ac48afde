import type { FleetDatabase } from './fleet-database';
import type { FleetHost, LeaseRow } from './fleet-rows';

/** A host is taken for running for as long as it may hold leases, in its leases. */
const hostLeases = 1.5;

/** The hosts and leases of a fleet, for operators. Every time is of the server's clock. */
export class FleetTable {
  constructor(private readonly database: Pick<FleetDatabase, 'call'>) {}

  /** All leases by name. */
  leases(): Promise<readonly LeaseRow[]> {
    return this.database.call('leases', {});
  }

  /** Hosts by name, also those that were killed within the last day. */
  hosts(): Promise<readonly FleetHost[]> {
    return this.database.call('hosts', { leases: hostLeases });
  }

  /**
   * Asks the hosts of a name that run to give their units to others and to take none, or to take some again.
   * @returns their ids
   */
  drain(name: string, isDraining: boolean): Promise<readonly string[]> {
    return this.database.call('drain', { name, isDraining, leases: hostLeases });
  }

  /**
   * Asks the holder of a lease to give it to a host: until then, and for some time, that host alone may take it.
   * @returns false if there is no such lease
   */
  reserve(unit: string, host: string, forMs: number): Promise<boolean> {
    return this.database.call('reserve', { unit, host, forMs });
  }

  /** Whether a lease is still reserved for a host. */
  isReserved(unit: string, host: string): Promise<boolean> {
    return this.database.call('isReserved', { unit, host });
  }
}
