import { releaseChannel } from './lease-table';
import type { SqlDatabase } from './sql-database';

/** An applied configuration of the fleet. */
export interface StoredVersion {
  /** From 1, one more for each version. */
  readonly version: number;
  /** YAML. */
  readonly text: string;
}

/** Payload of the notification that a version was applied, on the channel of released leases. */
export const appliedPayload = 'configuration';

/** The configurations of a fleet, each with a version. None is ever changed or removed. */
export class ConfigurationTable {
  constructor(private readonly database: SqlDatabase) {}

  /** The newest version; null before the first one. */
  async newest(): Promise<StoredVersion | null> {
    const [row] = await this.database.query<StoredVersion>({
      text: 'select version, text from configuration order by version desc limit 1',
    });
    return row ?? null;
  }

  /** The number of the newest version; 0 before the first one. */
  async newestVersion(): Promise<number> {
    const [row] = await this.database.query<{ readonly version: number | null }>({
      name: 'configuration-version',
      text: 'select max(version) as version from configuration',
    });
    return row?.version ?? 0;
  }

  /** Adds a version and notifies the hosts. @returns false if the version exists already */
  async apply({ version, text }: StoredVersion): Promise<boolean> {
    const rows = await this.database.query({
      text: `
        with applied as (
          insert into configuration (version, text) values ($1, $2) on conflict do nothing returning version
        )
        select version, pg_notify('${releaseChannel}', '${appliedPayload}') from applied`,
      values: [version, text],
    });
    return rows.length > 0;
  }
}
