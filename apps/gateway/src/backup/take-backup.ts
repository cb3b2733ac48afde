import { copyFile, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@libs/clock';
import { systemErrorText } from '@libs/envelope';
import { lastBytes, machineFiles, makeFolders } from '@libs/files';
import { requireSoundCopy } from '@libs/store';
import { HaltFiles } from '../kill-switch/halt-files';
import { BackupError } from './backup-error';
import { auditName, factsOf, journalName, manifestName, type BackedUpFile, type Manifest } from './manifest';
import type { StatePlaces } from './state-places';
import { sync } from './sync';

/** Bytes; no line of the audit log is longer. */
const longestLine = 1024 * 1024;

/** How the trade journal is copied. */
export interface JournalCopy {
  /** Copies the database to a folder that is not there yet. */
  readonly to: (folder: string) => Promise<void>;
  /** Whether the gateway goes on writing. */
  readonly isLive: boolean;
}

/**
 * Copies the state of a gateway. The audit log is copied after the journal: it is then at least as new, and a gateway takes up
 * the sends that only the audit log has. The event log is left out: the broker has the same facts, and a log that
 * went back in its numbers would hide events from clients.
 * @param folder has to be empty or missing
 * @throws BackupError or StoreOpenError; the folder then has no manifest and is not a backup
 */
export async function takeBackup(
  { auditFile, haltFiles }: StatePlaces,
  folder: string,
  journal: JournalCopy,
  about: { readonly clock: Clock; readonly version: string },
): Promise<Manifest> {
  await requireEmpty(folder);
  const halts = new HaltFiles(machineFiles);
  const created_at = new Date(about.clock.nowMs()).toISOString();
  const files: BackedUpFile[] = [];
  const [audit, database] = [join(folder, auditName), join(folder, journalName, 'data.mdb')];
  await journal.to(join(folder, journalName));
  if (journal.isLive) requireSoundCopy('the trade journal', join(folder, journalName));
  await sync(database);
  files.push(await factsOf(folder, `${journalName}/data.mdb`));
  if (await halts.isThere(auditFile)) {
    await copyFile(auditFile, audit);
    await machineFiles.chmod(audit, 0o600);
    if (journal.isLive) await cutUnfinishedLine(audit);
    await sync(audit);
    files.push(await factsOf(folder, auditName));
  }
  const halted = (await Promise.all(haltFiles.map((path) => halts.isThere(path)))).includes(true);
  const manifest: Manifest = { format: 1, version: about.version, created_at, halted, files };
  // All of it is on disk before there is a manifest.
  for (const path of [join(folder, journalName), folder]) await sync(path);
  await writeFile(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  for (const path of [join(folder, manifestName), folder]) await sync(path);
  return manifest;
}

async function requireEmpty(folder: string): Promise<void> {
  try {
    await makeFolders(folder, 0o700);
  } catch (error) {
    throw new BackupError(`the folder ${folder} cannot be made: ${systemErrorText(error)}`);
  }
  const names = await readdir(folder);
  if (names.length > 0) throw new BackupError(`${folder} is not empty: name a new folder for each backup`);
}

/** The gateway may be writing a line while its log is copied. @throws Error of the file system */
async function cutUnfinishedLine(path: string): Promise<void> {
  const { size } = await stat(path);
  const file = await machineFiles.open(path, 'r');
  try {
    const end = await lastBytes(file, longestLine);
    const kept = end.lastIndexOf('\n');
    if (kept >= 0) await truncate(path, size - end.length + kept + 1);
  } finally {
    await file.close();
  }
}
