import { copyFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '@libs/clock';
import { codeOf, machineFiles, makeFolders } from '@libs/files';
import { lmdbStores } from '@libs/store';
import { HaltFiles } from '../kill-switch/halt-files';
import { JournalStore } from '../trade-journal/journal.store';
import { BackupError } from './backup-error';
import { continuesAudit } from './continued-audit';
import { auditName, journalName, readBackup, type Manifest } from './manifest';
import type { StatePlaces } from './state-places';
import { sync } from './sync';

/**
 * What a restore did with the audit log. `kept`: there was one that goes on after that of the backup. `restored`: one that does not is
 * where `movedAside` says; null when there was none. `none`: the backup has none.
 */
export type RestoredAudit =
  | { readonly kind: 'kept' }
  | { readonly kind: 'none' }
  | { readonly kind: 'restored'; readonly movedAside: string | null };

/** What a restore did with each part. */
export interface Restored {
  readonly manifest: Manifest;
  /** Where the journal that was in its place is now; null when there was none. */
  readonly movedAside: string | null;
  readonly audit: RestoredAudit;
  readonly halted: boolean;
}

/**
 * Puts a backup into the places of a gateway that does not run; the caller holds its locks. The journal counts as lost
 * from then on, because it lacks what was sent after the backup: new risk waits until an operator accepts it.
 * @param options.replace moves a journal that is there aside, and an audit log that does not continue that of the backup; without it
 * they are an error
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
  const isNewLog = await isOtherAudit(places.auditFile, manifest, folder);
  if (isNewLog && !replace) {
    throw new BackupError(
      `the audit log ${places.auditFile} does not continue that of the backup: --replace moves it aside`,
    );
  }
  const now = new Date(clock.nowMs()).toISOString().replaceAll(':', '-');
  const prepared = `${places.journal}.restoring`;
  await rm(prepared, { recursive: true, force: true });
  await makeFolders(prepared, 0o700);
  await copyFile(join(folder, journalName, 'data.mdb'), join(prepared, 'data.mdb'));
  await markLost(prepared, manifest, { clock, newId });
  // The halt comes first: an interrupted restore never leaves a journal that may trade beside a lost halt.
  if (manifest.halted) await new HaltFiles(machineFiles).create(places.haltFiles[0]);
  const audit = await restoreAudit(places.auditFile, manifest, folder, isNewLog ? now : null);
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

/** Whether there is an audit log that does not continue that of the backup. */
async function isOtherAudit(path: string, manifest: Manifest, folder: string): Promise<boolean> {
  return hasAudit(manifest) && (await exists(path)) && !(await continuesAudit(path, join(folder, auditName)));
}

function hasAudit({ files }: Manifest): boolean {
  return files.some(({ name }) => name === auditName);
}

/** @param asideAt the time in the name of an existing log that does not continue that of the backup; null if there is no such log */
async function restoreAudit(
  path: string,
  manifest: Manifest,
  folder: string,
  asideAt: string | null,
): Promise<RestoredAudit> {
  if (asideAt === null && (await exists(path))) return { kind: 'kept' };
  if (!hasAudit(manifest)) return { kind: 'none' };
  await makeFolders(dirname(path), 0o700);
  const prepared = join(dirname(path), `restoring-${basename(path)}`);
  await copyFile(join(folder, auditName), prepared);
  await sync(prepared);
  // Not a name that begins with that of the log, which would be one of its rotated files.
  const movedAside = asideAt === null ? null : join(dirname(path), `replaced-${asideAt}-${basename(path)}`);
  if (movedAside !== null) await rename(path, movedAside);
  await rename(prepared, path);
  await sync(dirname(path));
  return { kind: 'restored', movedAside };
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
