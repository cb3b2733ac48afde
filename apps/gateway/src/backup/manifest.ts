import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError } from './backup-error';

/** Names inside a backup. */
export const manifestName = 'backup.json';
export const journalName = 'trade-journal';
export const auditName = 'order-audit.jsonl';

export interface BackedUpFile {
  /** Relative to the folder of the backup, with `/`. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What a backup holds; written last, so that a folder without it is not a backup. */
export interface Manifest {
  readonly format: 1;
  /** Version of the gateway that wrote it. */
  readonly version: string;
  /** ISO-8601 UTC, taken before the first byte was read. */
  readonly created_at: string;
  /** Whether the kill switch was active. */
  readonly halted: boolean;
  readonly files: readonly BackedUpFile[];
}

/** Size and SHA-256 of a file of a backup. @throws Error of the file system */
export async function factsOf(folder: string, name: string): Promise<BackedUpFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  // In parts: an audit log has no limit.
  for await (const part of createReadStream(join(folder, name))) {
    bytes += (part as Buffer).length;
    hash.update(part as Buffer);
  }
  return { name, bytes, sha256: hash.digest('hex') };
}

/**
 * Reads the manifest of a backup and compares all files with it.
 * @throws BackupError listing all problems
 */
export async function readBackup(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const problems: string[] = [];
  for (const file of manifest.files) {
    const found = await factsOf(folder, file.name).catch(() => null);
    if (found === null) problems.push(`${file.name} cannot be read`);
    else if (found.sha256 !== file.sha256) problems.push(`${file.name} has changed since the backup`);
  }
  if (!manifest.files.some(({ name }) => name === `${journalName}/data.mdb`)) problems.push('it has no trade journal');
  if (problems.length > 0) throw new BackupError(`the backup in ${folder} cannot be used: ${problems.join('; ')}`);
  return manifest;
}

async function readManifest(folder: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(join(folder, manifestName), 'utf8');
  } catch (cause) {
    throw new BackupError(`${folder} is not a backup: ${manifestName} cannot be read`, { cause });
  }
  const manifest = parsed(text);
  if (!isManifest(manifest))
    throw new BackupError(`${folder} is not a backup of this version: ${manifestName} is not valid`);
  return manifest;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== 'object' || value === null) return false;
  const { format, created_at, halted, files } = value as Partial<Record<keyof Manifest, unknown>>;
  const isTime = typeof created_at === 'string' && !Number.isNaN(Date.parse(created_at));
  return format === 1 && isTime && typeof halted === 'boolean' && Array.isArray(files) && files.every(isFile);
}

function isFile(value: unknown): value is BackedUpFile {
  if (typeof value !== 'object' || value === null) return false;
  const { name, sha256 } = value as Partial<Record<keyof BackedUpFile, unknown>>;
  // A name never leads out of the folder.
  return typeof name === 'string' && /^[\w-]+(\/)?[\w.-]+$/.test(name) && typeof sha256 === 'string';
}
