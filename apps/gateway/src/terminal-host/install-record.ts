import { readFile, rename, writeFile } from 'node:fs/promises';

/** The installed terminal and its source, so that only a changed TERMINAL_SETUP_URL causes another installation. */
export interface InstallRecord {
  readonly url: string;
  readonly sha256: string;
  readonly executable: string;
}

/** The record; undefined if there is none or it is malformed. */
export async function readInstallRecord(path: string): Promise<InstallRecord | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof value !== 'object' || value === null) return undefined;
    const { url, sha256, executable } = value as Partial<Record<keyof InstallRecord, unknown>>;
    if (typeof url !== 'string' || typeof sha256 !== 'string' || typeof executable !== 'string') return undefined;
    return { url, sha256, executable };
  } catch {
    return undefined;
  }
}

/** Replaces the record in one step. */
export async function writeInstallRecord(path: string, record: InstallRecord): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(record, null, 2)}\n`);
  await rename(`${path}.new`, path);
}
