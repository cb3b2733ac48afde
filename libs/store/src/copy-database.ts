import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { contentProblem } from './check-in-child';
import { hasDatabase, headerProblem } from './database-file';
import { makePrivateFolder } from './private-modes';
import { StoreOpenError } from './store';

/**
 * Copies a sound database. No other process may have it open: to open a database that is being written can make its
 * writer lose a commit (lmdb 3), so the caller holds the lock of the folder.
 * @param name what it holds, for messages: "the trade journal"
 * @param from folder of the database
 * @param to folder of the copy; made when it does not exist
 * @throws StoreOpenError when there is no database, or when it is damaged
 */
export async function copyDatabase(name: string, from: string, to: string): Promise<void> {
  requireSoundDatabase(name, from);
  makePrivateFolder(to);
  const root = open({ path: from, readOnly: true, encoding: 'binary' });
  try {
    await root.backup(to, true);
  } finally {
    await root.close();
  }
  chmodSync(join(to, 'data.mdb'), 0o600);
}

/**
 * Reads all of a database in a process of its own. No other process may have it open.
 * @param name what it holds, for messages
 * @throws StoreOpenError when it is damaged or does not exist
 */
export function requireSoundDatabase(name: string, folder: string): void {
  const file = join(folder, 'data.mdb');
  if (!hasDatabase(file)) throw new StoreOpenError(`${name} does not exist in ${folder}`);
  const problem = headerProblem(file) ?? contentProblem({ path: folder, noSubdir: false });
  if (problem !== null) throw new StoreOpenError(`${name} in ${file} is damaged: ${problem}`);
}
