import type { StoredEntry } from '@libs/store';
import type { Database } from './database';
import { releaseChannel } from './notifications';
import type { Query } from './query';

/** A unit with all entries of its state. */
export interface ImportedUnit {
  readonly name: string;
  readonly entries: readonly StoredEntry[];
}

/** A state cannot be imported; nothing was written. */
export class StateImportError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '));
  }
}

/** What every holder of an import begins with: no host has such an id. */
const importer = 'import of ';
/** Entries that one statement writes. */
const portion = 2_000;

interface UnitRow {
  readonly name: string;
  /** Id of the holder of the lease; null while it is free. */
  readonly holder: string | null;
  /** Name of that host; null if it has no row. */
  readonly host: string | null;
  readonly hasState: boolean;
}

/**
 * Brings the state of units that ran without a database into it. The import holds the leases of the units while their state
 * may still be used where it was: no host can take them until {@link finish}.
 */
export class StateImport {
  private readonly holder: string;

  /** @param source the place of the state and an id of the import, for people; the same at each attempt */
  constructor(
    private readonly database: Database,
    source: string,
  ) {
    this.holder = `${importer}${source}`;
  }

  /** Why units cannot be imported now. */
  problems(names: readonly string[]): Promise<string[]> {
    return this.problemsBy((statement) => this.database.query(statement), names);
  }

  /**
   * Writes the state of all units and takes their leases, or does nothing. What an earlier attempt has written is replaced.
   * @throws StateImportError
   * @throws Error of the database; when its answer was lost, everything may be written
   */
  async write(units: readonly ImportedUnit[]): Promise<void> {
    const names = units.map(({ name }) => name);
    // Before the transaction, which would have hosts that make the same rows wait for it.
    await this.database.query({
      text: 'insert into lease (name) select unnest($1::text[]) order by 1 on conflict do nothing',
      values: [names],
    });
    await this.database.transaction(async (query) => {
      await query({
        text: 'select 1 from lease where name = any($1) or holder = $2 order by name for update',
        values: [names, this.holder],
      });
      const problems = await this.problemsBy(query, names);
      if (problems.length > 0) throw new StateImportError(problems);
      await this.withdraw(query);
      for (const unit of units) await insert(query, unit);
      // An earlier holder that goes on writes nothing under its token.
      await query({
        text: `
          update lease set holder = $2, token = token + 1, expires_at = '9999-12-31', commits = commits + 1
          where name = any($1)`,
        values: [names, this.holder],
      });
    });
  }

  /**
   * Gives the leases to whichever host takes them, with a notification. To be called once the state cannot be used any more
   * where it was. @returns the names of the units; none if it was done before
   */
  async finish(): Promise<string[]> {
    const rows = await this.database.query<{ readonly name: string }>({
      text: `
        with released as (
          update lease set holder = null, expires_at = '-infinity' where holder = $1 returning name
        )
        select name, pg_notify('${releaseChannel}', name) from released order by name`,
      values: [this.holder],
    });
    return rows.map(({ name }) => name);
  }

  /** Names of the units that {@link finish} would give to hosts. */
  async pending(): Promise<string[]> {
    const rows = await this.database.query<{ readonly name: string }>({
      text: 'select name from lease where holder = $1 order by name',
      values: [this.holder],
    });
    return rows.map(({ name }) => name);
  }

  /** Those of the names that have no state in the database. */
  async missing(names: readonly string[]): Promise<string[]> {
    const rows = await this.rows((statement) => this.database.query(statement), names);
    return rows.filter(({ hasState }) => !hasState).map(({ name }) => name);
  }

  /** Removes what an earlier attempt has written: nothing has run on it. */
  private async withdraw(query: Query): Promise<void> {
    await query({
      text: 'delete from entry where lease in (select name from lease where holder = $1)',
      values: [this.holder],
    });
    await query({
      text: `update lease set holder = null, expires_at = '-infinity' where holder = $1`,
      values: [this.holder],
    });
  }

  private async problemsBy(query: Query, names: readonly string[]): Promise<string[]> {
    const rows = await this.rows(query, names);
    return rows.flatMap((row) => this.problemOf(row) ?? []);
  }

  private problemOf({ name, holder, host, hasState }: UnitRow): string | null {
    if (holder === this.holder) return null;
    if (holder?.startsWith(importer)) return `${name}: the ${holder} has not ended: complete it there`;
    if (holder !== null) return `${name}: ${host ?? holder} holds its lease: stop that host`;
    return hasState ? `${name}: the database has a state of it, and nothing is overwritten` : null;
  }

  private rows(query: Query, names: readonly string[]): Promise<UnitRow[]> {
    return query<UnitRow>({
      text: `
        select wanted.name, case when expires_at > now() then holder end as holder, host.name as host,
          exists (select from entry where entry.lease = wanted.name) as "hasState"
        from unnest($1::text[]) as wanted (name) left join lease on lease.name = wanted.name
          left join host on host.id = lease.holder order by wanted.name`,
      values: [names],
    });
  }
}

async function insert(query: Query, { name, entries }: ImportedUnit): Promise<void> {
  for (let from = 0; from < entries.length; from += portion) {
    const part = entries.slice(from, from + portion);
    await query({
      text: `
        insert into entry (lease, table_name, key, value)
        select $1, put.* from unnest($2::text[], $3::bytea[], $4::bytea[]) as put (table_name, key, value)`,
      values: [name, part.map(({ table }) => table), part.map(({ key }) => key), part.map(({ value }) => value)],
    });
  }
}
