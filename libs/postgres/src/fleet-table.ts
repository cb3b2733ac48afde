import { releaseChannel } from './lease-table';
import type { SqlDatabase } from './sql-database';

/** A host as operators see it. */
export interface FleetHost {
  /** Of one start of the daemon. */
  readonly id: string;
  readonly name: string;
  /** False for a host that was not seen for so long that its leases have ended. */
  readonly isRunning: boolean;
  readonly isDraining: boolean;
  /** Milliseconds since it was last seen, on the server's clock. */
  readonly ageMs: number;
  /** Most leases at once. */
  readonly capacity: number;
  readonly labels: readonly string[];
}

/** A lease as operators see it. */
export interface LeaseRow {
  readonly name: string;
  readonly token: number;
  /** Id of the holder; null while it is free. */
  readonly holder: string | null;
  /** Name of the holder's host; null while it is free, or if the host has no row any more. */
  readonly host: string | null;
  /** Milliseconds to its end, on the server's clock; 0 when it is free. */
  readonly remainingMs: number;
}

/** A host is taken for running for as long as it may hold leases, in its leases. */
const hostLeases = 1.5;

/** The hosts and leases of a fleet, for operators. Every time is of the server's clock. */
export class FleetTable {
  constructor(private readonly database: SqlDatabase) {}

  /** All leases by name. */
  async leases(): Promise<LeaseRow[]> {
    return this.database.query<LeaseRow>({
      text: `
        select lease.name, token::float8 as token, case when expires_at > now() then holder end as holder,
          case when expires_at > now() then host.name end as host,
          case when expires_at > now() then extract(epoch from expires_at - now()) * 1000 else 0 end::float8 as "remainingMs"
        from lease left join host on host.id = lease.holder order by lease.name`,
    });
  }

  /** Hosts by name, also those that were killed within the last day. */
  async hosts(): Promise<FleetHost[]> {
    return this.database.query<FleetHost>({
      text: `
        select id, name, capacity, labels, is_draining as "isDraining",
          (extract(epoch from now() - seen_at) * 1000)::float8 as "ageMs",
          seen_at > now() - $1::float8 * lease_ms * interval '1 millisecond' as "isRunning"
        from host order by name, seen_at desc`,
      values: [hostLeases],
    });
  }

  /**
   * Asks the hosts of a name that run to give their units to others and to take none, or to take some again.
   * @returns their ids
   */
  async drain(name: string, isDraining: boolean): Promise<string[]> {
    const rows = await this.database.query<{ readonly id: string }>({
      text: `
        with asked as (
          update host set is_draining = $2 where name = $1 and seen_at > now() - $3::float8 * lease_ms * interval '1 millisecond'
          returning id
        )
        select id, pg_notify('${releaseChannel}', id) from asked`,
      values: [name, isDraining, hostLeases],
    });
    return rows.map(({ id }) => id);
  }

  /**
   * Asks the holder of a lease to give it to a host: until then, and for some time, that host alone may take it.
   * @returns false if there is no such lease
   */
  async reserve(unit: string, host: string, forMs: number): Promise<boolean> {
    const rows = await this.database.query({
      text: `
        with asked as (
          update lease set reserved_for = $2, reserved_until = now() + $3 * interval '1 millisecond' where name = $1
          returning name
        )
        select name, pg_notify('${releaseChannel}', name) from asked`,
      values: [unit, host, forMs],
    });
    return rows.length > 0;
  }

  /** Whether a lease is still reserved for a host. */
  async isReserved(unit: string, host: string): Promise<boolean> {
    const rows = await this.database.query({
      text: 'select 1 from lease where name = $1 and reserved_for = $2 and reserved_until > now()',
      values: [unit, host],
    });
    return rows.length > 0;
  }
}
