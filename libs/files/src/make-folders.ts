import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf } from './error-code';

// The folders are made one by one: the recursive mkdir of Node never returns where the system makes none, as under /proc.

/**
 * Makes a folder and its parents, and waits for the disk; harmless if it exists.
 * @param mode permissions of the folders that are made
 * @throws Error of the file system, also for a file of that name
 */
export function makeFoldersSync(path: string, mode = 0o777): void {
  const folder = resolve(path);
  try {
    makeOneSync(folder, mode);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    makeFoldersSync(dirname(folder), mode);
    makeOneSync(folder, mode);
  }
}

/** As {@link makeFoldersSync}, while others run. */
export async function makeFolders(path: string, mode = 0o777): Promise<void> {
  const folder = resolve(path);
  try {
    await makeOne(folder, mode);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeFolders(dirname(folder), mode);
    await makeOne(folder, mode);
  }
}

function makeOneSync(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || !isFolderSync(folder)) throw error;
  }
}

async function makeOne(folder: string, mode: number): Promise<void> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || !(await isFolder(folder))) throw error;
  }
}

function isFolderSync(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}
