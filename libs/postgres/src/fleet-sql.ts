import type { CommandArgs, CommandName, CommandResult, Entry } from './fleet-database';
import type { FleetHost, HostReport, HostRow, LeaseRow, OpenLease, StoredVersion } from './fleet-rows';
import type { Lease } from './lease';
import { appliedPayload, releaseChannel } from './notifications';
import type { Query } from './query';

/** Carries out one command in one statement. */
type InSql = {
  readonly [Name in CommandName]: (args: CommandArgs<Name>, query: Query) => Promise<CommandResult<Name>>;
};

/** The commands of a fleet as statements of PostgreSQL. */
export const fleetSql: InSql = {
  // In one order, or two hosts could wait for each other.
  announce: async ({ names }, query) => {
    await query({
      text: 'insert into lease (name) select unnest($1::text[]) order by 1 on conflict do nothing',
      values: [names],
    });
  },

  take: async ({ names, limit, holder, leaseMs, version }, query) => {
    const rows = await query<TokenRow>({
      name: 'lease-take',
      text: `
        with free as (
          select lease.name from lease join unnest($1::text[]) with ordinality as wanted (name, place) using (name)
          where expires_at < now() and ($5::int is null or $5 >= (select coalesce(max(version), 0) from configuration))
          order by place limit $2 for update of lease skip locked
        )
        update lease set holder = $3, token = token + 1, expires_at = now() + $4 * interval '1 millisecond'
        from free where lease.name = free.name returning lease.name, lease.token`,
      values: [names, limit, holder, leaseMs, version],
    });
    return rows.map(({ name, token }) => ({ name, token: Number(token) }));
  },

  renew: async ({ leases, holder: { id, name, capacity, labels }, leaseMs }, query) => {
    const rows = await query<NameRow>({
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
      values: [...columns(leases), id, leaseMs, name, capacity, labels],
    });
    return rows.map((row) => row.name);
  },

  release: async ({ leases, holder }, query) => {
    await query({
      text: `
        with released as (
          update lease set holder = null, expires_at = '-infinity'
          from unnest($1::text[], $2::bigint[]) as held (name, token)
          where lease.name = held.name and lease.token = held.token and holder = $3
          returning lease.name
        )
        select pg_notify('${releaseChannel}', name) from released`,
      values: [...columns(leases), holder],
    });
  },

  raise: async ({ lease: { name, token }, holder, stored }, query) => {
    const [row] = await query<TokenRow>({
      text: `
        update lease set token = greatest(token, $4) + 1 where name = $1 and token = $2 and holder = $3
        returning name, token`,
      values: [name, token, holder, stored],
    });
    return row ? { name, token: Number(row.token) } : null;
  },

  open: ({ names }, query) =>
    query<OpenLease>({
      name: 'lease-open',
      text: `
        select wanted.name, coalesce(expires_at < now(), true) as "isFree",
          case when reserved_until > now() then reserved_for end as "reservedFor"
        from unnest($1::text[]) as wanted (name) left join lease using (name)
        where lease.name is null or expires_at < now() or reserved_until > now()`,
      values: [names],
    }),

  reserve: async ({ unit, host, forMs }, query) => {
    const rows = await query({
      text: `
        with asked as (
          update lease set reserved_for = $2, reserved_until = now() + $3 * interval '1 millisecond' where name = $1
          returning name
        )
        select name, pg_notify('${releaseChannel}', name) from asked`,
      values: [unit, host, forMs],
    });
    return rows.length > 0;
  },

  unreserve: async ({ unit, host }, query) => {
    await query({
      text: `update lease set reserved_for = null, reserved_until = '-infinity' where name = $1 and reserved_for = $2`,
      values: [unit, host],
    });
  },

  isReserved: async ({ unit, host }, query) => {
    const rows = await query({
      text: 'select 1 from lease where name = $1 and reserved_for = $2 and reserved_until > now()',
      values: [unit, host],
    });
    return rows.length > 0;
  },

  leases: (_, query) =>
    query<LeaseRow>({
      text: `
        select lease.name, token::float8 as token, case when expires_at > now() then holder end as holder,
          case when expires_at > now() then host.name end as host,
          case when expires_at > now() then extract(epoch from expires_at - now()) * 1000 else 0 end::float8 as "remainingMs"
        from lease left join host on host.id = lease.holder order by lease.name`,
    }),

  leave: async ({ host }, query) => {
    await query({ text: 'delete from host where id = $1', values: [host] });
  },

  seenHosts: ({ withinMs }, query) =>
    query<HostRow>({
      text: `
        select id, host.name, capacity, is_draining as "isDraining", labels,
          (extract(epoch from now() - seen_at) * 1000)::float8 as "ageMs",
          (select count(*) from lease where holder = host.id and expires_at > now())::int as leases
        from host where seen_at > now() - $1 * interval '1 millisecond' order by host.name, id`,
      values: [withinMs],
    }),

  hosts: ({ leases }, query) =>
    query<FleetHost>({
      text: `
        select id, name, capacity, labels, is_draining as "isDraining",
          (extract(epoch from now() - seen_at) * 1000)::float8 as "ageMs",
          seen_at > now() - $1::float8 * lease_ms * interval '1 millisecond' as "isRunning"
        from host order by name, seen_at desc`,
      values: [leases],
    }),

  drain: async ({ name, isDraining, leases }, query) => {
    const rows = await query<{ readonly id: string }>({
      text: `
        with asked as (
          update host set is_draining = $2 where name = $1 and seen_at > now() - $3::float8 * lease_ms * interval '1 millisecond'
          returning id
        )
        select id, pg_notify('${releaseChannel}', id) from asked`,
      values: [name, isDraining, leases],
    });
    return rows.map(({ id }) => id);
  },

  publish: async ({ host, report }, query) => {
    await query({
      name: 'report-publish',
      text: 'update host set report = $2, published_at = now() where id = $1',
      values: [host, report],
    });
  },

  reports: (_, query) =>
    query<HostReport>({
      name: 'report-read',
      text: `
        select id, host.name, report, (extract(epoch from now() - published_at) * 1000)::float8 as "ageMs",
          array(select lease.name from lease where holder = host.id and expires_at > now() order by 1) as leases
        from host order by host.name, id`,
    }),

  newest: async (_, query) => {
    const [row] = await query<StoredVersion>({
      text: 'select version, text from configuration order by version desc limit 1',
    });
    return row ?? null;
  },

  newestVersion: async (_, query) => {
    const [row] = await query<{ readonly version: number | null }>({
      name: 'configuration-version',
      text: 'select max(version) as version from configuration',
    });
    return row?.version ?? 0;
  },

  apply: async ({ version, text }, query) => {
    const rows = await query({
      text: `
        with applied as (
          insert into configuration (version, text) values ($1, $2) on conflict do nothing returning version
        )
        select version, pg_notify('${releaseChannel}', '${appliedPayload}') from applied`,
      values: [version, text],
    });
    return rows.length > 0;
  },

  // One statement, so that the entries are those of the number of commits.
  read: async ({ lease }, query) => {
    const rows = await query<EntryRow>({
      text: `
        select commits, table_name as "table", key, value from lease left join entry on entry.lease = lease.name
        where lease.name = $1 and lease.token = $2`,
      values: [lease.name, lease.token],
    });
    const [first] = rows;
    if (!first) return null;
    // A lease without entries has one row.
    const entries = rows.flatMap(({ table, key, value }): Entry[] =>
      table === null || key === null || value === null ? [] : [{ table, key, value }],
    );
    return { commits: first.commits, entries };
  },

  write: async ({ lease: { name, token }, commits, removed, puts }, query) => {
    const [row] = await query<{ readonly commits: string }>({
      name: 'store-write',
      text: `
        with held as (
          update lease set commits = commits + 1 where name = $1 and token = $2 and commits = $3
          returning name, commits
        ), removed as (
          delete from entry using held, unnest($4::text[], $5::bytea[]) as gone (table_name, key)
          where entry.lease = held.name and entry.table_name = gone.table_name and entry.key = gone.key
        ), written as (
          insert into entry (lease, table_name, key, value)
          select held.name, put.* from held, unnest($6::text[], $7::bytea[], $8::bytea[]) as put (table_name, key, value)
          on conflict (lease, table_name, key) do update set value = excluded.value
        )
        select commits from held`,
      values: [
        ...[name, token, commits],
        ...[removed.map(({ table }) => table), removed.map(({ key }) => key)],
        ...[puts.map(({ table }) => table), puts.map(({ key }) => key), puts.map(({ value }) => value)],
      ],
    });
    return row?.commits ?? null;
  },
};

interface NameRow {
  readonly name: string;
}

interface TokenRow extends NameRow {
  /** A bigint. */
  readonly token: string;
}

interface EntryRow {
  readonly commits: string;
  readonly table: string | null;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

function columns(leases: readonly Lease[]): [names: string[], tokens: string[]] {
  return [leases.map(({ name }) => name), leases.map(({ token }) => String(token))];
}
