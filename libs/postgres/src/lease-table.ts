import type { FleetDatabase } from './fleet-database';
import type { Holder, HostRow, OpenLease } from './fleet-rows';
import type { Lease } from './lease';

/** The leases as a host takes and holds them. */
export class LeaseTable {
  constructor(
    private readonly database: Pick<FleetDatabase, 'call'>,
    private readonly holder: Holder,
    /** Duration of a lease. */
    private readonly leaseMs: number,
  ) {}

  /** Makes the rows that do not exist; they are free. */
  announce(names: readonly string[]): Promise<void> {
    return this.database.call('announce', { names });
  }

  /**
   * Takes free leases, the first ones first.
   * @param limit most leases
   * @param version of the configuration that the holder runs: it takes nothing once a later one was applied; null: that of
   * a file
   */
  take(names: readonly string[], limit: number, version: number | null = null): Promise<readonly Lease[]> {
    return this.database.call('take', { names, limit, holder: this.holder.id, leaseMs: this.leaseMs, version });
  }

  /** Renews leases and reports the host as seen, in one command. @returns names of those that are still held */
  async renew(leases: readonly Lease[]): Promise<ReadonlySet<string>> {
    return new Set(await this.database.call('renew', { leases, holder: this.holder, leaseMs: this.leaseMs }));
  }

  /** Gives leases back and notifies the other holders. Leases of others stay as they are. */
  release(leases: readonly Lease[]): Promise<void> {
    return this.database.call('release', { leases, holder: this.holder.id });
  }

  /** Leases of a list that are free or reserved. One without a row is free. */
  open(names: readonly string[]): Promise<readonly OpenLease[]> {
    return this.database.call('open', { names });
  }

  /** Ends the reservation of a lease for a host, once it is taken or cannot be. */
  unreserve(unit: string, host: string): Promise<void> {
    return this.database.call('unreserve', { unit, host });
  }

  /** Removes the row of this host at its end. */
  leave(): Promise<void> {
    return this.database.call('leave', { host: this.holder.id });
  }

  /**
   * Raises the token of a held lease above one that a gateway has, which is higher after a restored backup.
   * @returns the lease with its new token; null if another holder has it
   */
  raiseAbove(lease: Lease, stored: number): Promise<Lease | null> {
    return this.database.call('raise', { lease, holder: this.holder.id, stored });
  }

  /** Hosts that were seen within some time, by name. */
  hosts(withinMs: number): Promise<readonly HostRow[]> {
    return this.database.call('seenHosts', { withinMs });
  }
}
