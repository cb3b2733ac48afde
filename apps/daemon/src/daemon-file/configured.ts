import type { DaemonFile } from './daemon-file';

/** What is configured outside of the daemon: its file, and the keys of its gateways. */
export interface Configured {
  /** Reads the configuration file as it is now. @throws DaemonFileError */
  readFile(): DaemonFile;
  /** Reads the key that a gateway's `apiKeyEnv` names. @throws Error that names the variable, never the value */
  apiKey(variable: string): string;
  /** Version of a configuration that is in a database. */
  readonly version?: number;
  /** Has {@link readFile} read the newest version. @throws Error of the database */
  refresh?(): Promise<void>;
  /** Whether there is a later version than the one that runs. @throws Error of the database */
  isOutdated?(running: number | null): Promise<boolean>;
}

/** @returns why the newest version could not be read; null if it was, or if the configuration is a file */
export async function refreshed(configured: Configured): Promise<string | null> {
  try {
    await configured.refresh?.();
    return null;
  } catch (error) {
    return `the database of the fleet cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}
