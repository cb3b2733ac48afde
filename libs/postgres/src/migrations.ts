/** One step of the tables. A step that was released is never changed. */
export interface Migration {
  readonly number: number;
  /**
   * The number of the oldest program that works with the tables after this step. Two versions run side by side during an
   * upgrade, so that a step adds first, and removes in a later version.
   */
  readonly oldestReader: number;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
  {
    number: 1,
    oldestReader: 1,
    sql: `
      create table lease (
        name text primary key,
        holder text,
        token bigint not null default 0,
        expires_at timestamptz not null default '-infinity',
        commits bigint not null default 0
      ) with (fillfactor = 50);
      comment on table lease is 'Who runs a strategy or portfolio. The token grows with each holder.';
      comment on column lease.commits is 'Writes to the entries of this name under any token.';

      create table entry (
        lease text not null,
        table_name text not null,
        key bytea not null,
        value bytea not null,
        primary key (lease, table_name, key)
      );
      comment on table entry is 'State of a strategy or portfolio: keys in the order of LMDB, values as JSON.';

      create table host (
        id text primary key,
        name text not null,
        seen_at timestamptz not null,
        capacity integer not null,
        is_draining boolean not null default false
      );
      comment on table host is 'Daemons of the fleet. The id is that of one start.';`,
  },
  {
    number: 2,
    oldestReader: 1,
    sql: `
      alter table host add column lease_ms integer not null default 10000;
      comment on column host.lease_ms is 'Duration of its leases: how soon a host that is not seen is taken for lost.';`,
  },
  {
    number: 3,
    oldestReader: 1,
    sql: `
      alter table lease add column reserved_for text, add column reserved_until timestamptz not null default '-infinity';
      comment on column lease.reserved_for is 'Id of the host that alone may take it, until reserved_until.';`,
  },
  {
    number: 4,
    oldestReader: 1,
    sql: `
      alter table host add column labels text[] not null default '{}';`,
  },
  {
    number: 5,
    oldestReader: 1,
    sql: `
      alter table host add column report text, add column published_at timestamptz;
      comment on column host.report is 'What the host shows on its control port, as JSON.';`,
  },
  {
    number: 6,
    oldestReader: 1,
    sql: `
      create table configuration (
        version integer primary key,
        text text not null,
        applied_at timestamptz not null default now()
      );
      comment on table configuration is 'What the daemons of the fleet run, as YAML; the newest version counts.';`,
  },
];
