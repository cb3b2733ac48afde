import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '@libs/clock';
import { codeOf, machineFiles } from '@libs/files';
import { lmdbStores } from '@libs/store';
import { HaltFiles } from '../kill-switch/halt-files';
import { JournalStore } from '../trade-journal/journal.store';
import { BackupError } from './backup-error';
import { auditName, journalName, readBackup, type Manifest } from './manifest';
import type { StatePlaces } from './state-places';
import { sync } from './sync';

/** What a restore did with each part. */
export interface Restored {
  readonly manifest: Manifest;
  /** Where the journal that was in its place is now; null when there was none. */
  readonly movedAside: string | null;
  /** `kept`: there was a log, which is newer than that of the backup. */
  readonly audit: 'restored' | 'kept' | 'none';
  readonly halted: boolean;
}

/**
 * Puts a backup into the places of a gateway that does not run; the caller holds its locks. The journal counts as lost
 * from then on, because it lacks what was sent after the backup: new risk waits until an operator accepts it.
 * @param options.replace moves a journal that is there aside; without it such a journal is an error
 * @throws BackupError before anything is changed
 */
export async function restoreBackup(
  places: StatePlaces,
  folder: string,
  { replace, clock, newId }: { readonly replace: boolean; readonly clock: Clock; readonly newId: () => string },
): Promise<Restored> {
  const manifest = await readBackup(folder);
  const isOccupied = await exists(places.journal);
  if (isOccupied && !replace) {
    throw new BackupError(`there is a trade journal in ${places.journal}: --replace moves it aside`);
  }
  const now = new Date(clock.nowMs()).toISOString().replaceAll(':', '-');
  const prepared = `${places.journal}.restoring`;
  await rm(prepared, { recursive: true, force: true });
  await mkdir(prepared, { recursive: true, mode: 0o700 });
  await copyFile(join(folder, journalName, 'data.mdb'), join(prepared, 'data.mdb'));
  await markLost(prepared, manifest, { clock, newId });
  // The halt comes first: an interrupted restore never leaves a journal that may trade beside a lost halt.
  if (manifest.halted) await new HaltFiles(machineFiles).create(places.haltFiles[0]);
  const audit = await restoreAudit(places.auditFile, manifest, folder);
  const movedAside = isOccupied ? `${places.journal}.replaced-${now}` : null;
  if (movedAside !== null) await rename(places.journal, movedAside);
  await rename(prepared, places.journal);
  await sync(dirname(places.journal));
  return { manifest, movedAside, audit, halted: manifest.halted };
}

/** Done before the journal is in its place, so that no interrupted restore leaves one that is trusted. */
async function markLost(
  journal: string,
  { created_at }: Manifest,
  { clock, newId }: { readonly clock: Clock; readonly newId: () => string },
): Promise<void> {
  const store = new JournalStore(lmdbStores, journal, newId);
  try {
    await store.lose(`it was restored from a backup of ${created_at} and lacks what was sent later`, clock.nowMs());
  } finally {
    await store.close();
  }
}

async function restoreAudit(path: string, { files }: Manifest, folder: string): Promise<Restored['audit']> {
  if (await exists(path)) return 'kept';
  if (!files.some(({ name }) => name === auditName)) return 'none';
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const prepared = `${path}.restoring`;
  await copyFile(join(folder, auditName), prepared);
  await sync(prepared);
  await rename(prepared, path);
  await sync(dirname(path));
  return 'restored';
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
