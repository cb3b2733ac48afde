import type { Lease } from './lease';
import type { SqlDatabase } from './sql-database';

/** Who takes leases. */
export interface Holder {
  /** Unlike that of every other start of any daemon. */
  readonly id: string;
  /** Name of the machine or container, for people. */
  readonly name: string;
  /** Most leases at once. */
  readonly capacity: number;
  readonly labels: readonly string[];
}

export interface HostRow {
  readonly id: string;
  readonly name: string;
  readonly capacity: number;
  readonly isDraining: boolean;
  readonly labels: readonly string[];
  /** Milliseconds since it was last seen, on the server's clock. */
  readonly ageMs: number;
  /** Leases that it holds. */
  readonly leases: number;
}

/** A lease that is free, or that is reserved for a host. */
export interface OpenLease {
  readonly name: string;
  readonly isFree: boolean;
  /** Id of the host that alone may take it; null if it is not reserved. */
  readonly reservedFor: string | null;
}

/** The channel on which a released lease is announced, and an order of an operator. */
export const releaseChannel = 'lease_released';

/**
 * The rows of the leases. Every time is of the server's clock; every statement is a transaction of its own, so that a
 * holder that stops in the middle of its work locks nothing.
 */
export class LeaseTable {
  constructor(
    private readonly database: SqlDatabase,
    private readonly holder: Holder,
    /** Duration of a lease. */
    private readonly leaseMs: number,
  ) {}

  /** Makes the rows that do not exist; they are free. In one order, or two hosts could wait for each other. */
  async announce(names: readonly string[]): Promise<void> {
    await this.database.query({
      text: 'insert into lease (name) select unnest($1::text[]) order by 1 on conflict do nothing',
      values: [names],
    });
  }

  /**
   * Takes free leases, the first ones first. Rows that another holder is about to take are passed over.
   * @param limit most leases
   * @param version of the configuration that the holder runs: it takes nothing once a later one was applied; null: that of
   * a file
   */
  async take(names: readonly string[], limit: number, version: number | null = null): Promise<Lease[]> {
    const rows = await this.database.query<{ readonly name: string; readonly token: string }>({
      name: 'lease-take',
      text: `
        with free as (
          select lease.name from lease join unnest($1::text[]) with ordinality as wanted (name, place) using (name)
          where expires_at < now() and ($5::int is null or $5 >= (select coalesce(max(version), 0) from configuration))
          order by place limit $2 for update of lease skip locked
        )
        update lease set holder = $3, token = token + 1, expires_at = now() + $4 * interval '1 millisecond'
        from free where lease.name = free.name returning lease.name, lease.token`,
      values: [names, limit, this.holder.id, this.leaseMs, version],
    });
    return rows.map(({ name, token }) => ({ name, token: Number(token) }));
  }

  /**
   * Renews leases and reports the host as seen, in one statement. Rows of hosts that were killed long ago are removed.
   * @returns names of those that are still held
   */
  async renew(leases: readonly Lease[]): Promise<ReadonlySet<string>> {
    const { id, name, capacity, labels } = this.holder;
    const rows = await this.database.query<{ readonly name: string }>({
      name: 'lease-renew',
      text: `
        with seen as (
          insert into host (id, name, seen_at, capacity, lease_ms, labels) values ($3, $5, now(), $6, $4, $7)
          on conflict (id) do update set seen_at = excluded.seen_at, capacity = excluded.capacity
        ), forgotten as (
          delete from host where seen_at < now() - interval '1 day' and id <> $3
        )
        update lease set expires_at = now() + $4 * interval '1 millisecond'
        from unnest($1::text[], $2::bigint[]) as held (name, token)
        where lease.name = held.name and lease.token = held.token and holder = $3
        returning lease.name`,
      values: [...columns(leases), id, this.leaseMs, name, capacity, labels],
    });
    return new Set(rows.map((row) => row.name));
  }

  /** Gives leases back and notifies the other holders. Leases of others stay as they are. */
  async release(leases: readonly Lease[]): Promise<void> {
    await this.database.query({
      text: `
        with released as (
          update lease set holder = null, expires_at = '-infinity'
          from unnest($1::text[], $2::bigint[]) as held (name, token)
          where lease.name = held.name and lease.token = held.token and holder = $3
          returning lease.name
        )
        select pg_notify('${releaseChannel}', name) from released`,
      values: [...columns(leases), this.holder.id],
    });
  }

  /** Leases of a list that are free or reserved. One without a row is free. */
  async open(names: readonly string[]): Promise<OpenLease[]> {
    return this.database.query<OpenLease>({
      name: 'lease-open',
      text: `
        select wanted.name, coalesce(expires_at < now(), true) as "isFree",
          case when reserved_until > now() then reserved_for end as "reservedFor"
        from unnest($1::text[]) as wanted (name) left join lease using (name)
        where lease.name is null or expires_at < now() or reserved_until > now()`,
      values: [names],
    });
  }

  /** Ends the reservation of a lease for a host, once it is taken or cannot be. */
  async unreserve(name: string, host: string): Promise<void> {
    await this.database.query({
      text: `update lease set reserved_for = null, reserved_until = '-infinity' where name = $1 and reserved_for = $2`,
      values: [name, host],
    });
  }

  /** Removes the row of this host at its end. */
  async leave(): Promise<void> {
    await this.database.query({ text: 'delete from host where id = $1', values: [this.holder.id] });
  }

  /**
   * Raises the token of a held lease above one that a gateway has, which is higher after a restored backup.
   * @returns the lease with its new token; null if another holder has it
   */
  async raiseAbove({ name, token }: Lease, stored: number): Promise<Lease | null> {
    const [row] = await this.database.query<{ readonly token: string }>({
      text: 'update lease set token = greatest(token, $4) + 1 where name = $1 and token = $2 and holder = $3 returning token',
      values: [name, token, this.holder.id, stored],
    });
    return row ? { name, token: Number(row.token) } : null;
  }

  /** Hosts that were seen within some time, by name. */
  async hosts(withinMs: number): Promise<HostRow[]> {
    return this.database.query<HostRow>({
      text: `
        select id, host.name, capacity, is_draining as "isDraining", labels,
          (extract(epoch from now() - seen_at) * 1000)::float8 as "ageMs",
          (select count(*) from lease where holder = host.id and expires_at > now())::int as leases
        from host where seen_at > now() - $1 * interval '1 millisecond' order by host.name, id`,
      values: [withinMs],
    });
  }
}

function columns(leases: readonly Lease[]): [names: string[], tokens: string[]] {
  return [leases.map(({ name }) => name), leases.map(({ token }) => String(token))];
}
