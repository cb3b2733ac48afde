import { constants } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Creates an empty file durably, with its folder; harmless when it is there already. @throws an error of the file system */
export async function createFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, 'a', 0o600);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(dirname(path));
}

/** Removes a file durably; harmless when there is none. @throws an error of the file system, as for a directory */
export async function removeFile(path: string): Promise<void> {
  if (!(await isThere(path))) return;
  await rm(path);
  await syncFolder(dirname(path));
}

/** Whether something is at the path. What cannot be looked up counts as there: unknown is not "off". */
export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    return !isMissing(error);
  }
}

/** Creates and removes a file beside the path, which access rights alone do not prove. @throws an error of the file system */
export async function requireWritableFolder(path: string): Promise<void> {
  const probe = join(dirname(path), `.probe-${process.pid}`);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(probe, constants.O_CREAT | constants.O_WRONLY, 0o600);
  await handle.close();
  await rm(probe, { force: true });
}

/** ENOTDIR: a parent of the path is a file, so the path cannot be there either. */
function isMissing(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return error.code === 'ENOENT' || error.code === 'ENOTDIR';
}

/** A new name is durable once its folder is. Not every file system can do that, and the file itself is made. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
