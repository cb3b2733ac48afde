import type { ConfigurationTable, StoredVersion } from '@libs/postgres';
import type { DaemonFile, Configured } from '../daemon-file/daemon-file';

/** Reads the text of a configuration. @throws DaemonFileError that names it */
export type ReadText = (name: string, text: string) => DaemonFile;

/** The configuration of a fleet, which is in its database. */
export class StoredConfiguration implements Configured {
  private constructor(
    private readonly table: ConfigurationTable,
    private readonly readText: ReadText,
    readonly apiKey: Configured['apiKey'],
    private current: StoredVersion,
  ) {}

  /** @returns null when no version was applied yet. @throws Error of the database */
  static async open(
    table: ConfigurationTable,
    readText: ReadText,
    apiKey: Configured['apiKey'],
  ): Promise<StoredConfiguration | null> {
    const newest = await table.newest();
    return newest && new StoredConfiguration(table, readText, apiKey, newest);
  }

  /** Of the version that {@link refresh} has read last. */
  get version(): number {
    return this.current.version;
  }

  readFile(): DaemonFile {
    return this.readText(`version ${this.version} of the configuration`, this.current.text);
  }

  /** Reads the newest version. @throws Error of the database */
  async refresh(): Promise<void> {
    this.current = (await this.table.newest()) ?? this.current;
  }

  /** @inheritDoc */
  async isOutdated(running: number | null): Promise<boolean> {
    return (await this.table.newestVersion()) > (running ?? 0);
  }
}
