import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@libs/clock';
import { machineFiles } from '@libs/files';
import { copyDatabase } from '@libs/store';
import { HaltFiles } from '../kill-switch/halt-files';
import { BackupError } from './backup-error';
import { auditName, factsOf, journalName, manifestName, type BackedUpFile, type Manifest } from './manifest';
import type { StatePlaces } from './state-places';
import { sync } from './sync';

/**
 * Copies the state of a gateway that does not run; the caller holds its locks. The log of trade events is left out: the broker
 * has the same facts, and a log that went back in its numbers would hide events from clients.
 * @param folder has to be empty or missing
 * @throws BackupError or StoreOpenError; the folder then has no manifest and is not a backup
 */
export async function takeBackup(
  { journal, auditFile, haltFiles }: StatePlaces,
  folder: string,
  about: { readonly clock: Clock; readonly version: string },
): Promise<Manifest> {
  await requireEmpty(folder);
  const halts = new HaltFiles(machineFiles);
  const created_at = new Date(about.clock.nowMs()).toISOString();
  const files: BackedUpFile[] = [];
  const [audit, database] = [join(folder, auditName), join(folder, journalName, 'data.mdb')];
  if (await halts.isThere(auditFile)) {
    await copyFile(auditFile, audit);
    await machineFiles.chmod(audit, 0o600);
    await sync(audit);
    files.push(await factsOf(folder, auditName));
  }
  await copyDatabase('the trade journal', journal, join(folder, journalName));
  await sync(database);
  files.push(await factsOf(folder, `${journalName}/data.mdb`));
  const halted = (await Promise.all(haltFiles.map((path) => halts.isThere(path)))).includes(true);
  const manifest: Manifest = { format: 1, version: about.version, created_at, halted, files };
  // All of it is on disk before there is a manifest.
  for (const path of [join(folder, journalName), folder]) await sync(path);
  await writeFile(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  for (const path of [join(folder, manifestName), folder]) await sync(path);
  return manifest;
}

async function requireEmpty(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = await readdir(folder);
  if (names.length > 0) throw new BackupError(`${folder} is not empty: name a new folder for each backup`);
}
