import type { SqlDatabase } from './sql-database';

/** What a host has published last. */
export interface HostReport {
  /** Id of the host, and its name. */
  readonly id: string;
  readonly name: string;
  /** JSON; null before the host has published anything. */
  readonly report: string | null;
  /** Milliseconds since it was published, on the server's clock; null before. */
  readonly ageMs: number | null;
  /** Names of the leases that the host holds now. */
  readonly leases: readonly string[];
}

/** What each host shows of itself to the others. */
export class HostReports {
  constructor(private readonly database: SqlDatabase) {}

  /** Replaces the report of a host, which has a row since its first renewal. */
  async publish(host: string, report: string): Promise<void> {
    await this.database.query({
      name: 'report-publish',
      text: 'update host set report = $2, published_at = now() where id = $1',
      values: [host, report],
    });
  }

  /** All hosts by name, also those that were killed within the last day. */
  async read(): Promise<HostReport[]> {
    return this.database.query<HostReport>({
      name: 'report-read',
      text: `
        select id, host.name, report, (extract(epoch from now() - published_at) * 1000)::float8 as "ageMs",
          array(select lease.name from lease where holder = host.id and expires_at > now() order by 1) as leases
        from host order by host.name, id`,
    });
  }
}
