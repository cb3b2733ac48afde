import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { contentProblem } from './check-in-child';
import { hasDatabase, headerProblem } from './database-file';
import { makePrivateFolder } from './private-modes';
import { StoreOpenError } from './store';

/**
 * Copies a database and checks the copy. No other process may have it open: to open a database that is being written can make its
 * writer lose a commit (lmdb 3), so the caller holds the lock of the folder.
 * @param name what it holds, for messages: "the trade journal"
 * @param from folder of the database
 * @param to folder of the copy; made when it does not exist
 * @throws StoreOpenError when there is no database, or when it is damaged
 */
export async function copyDatabase(name: string, from: string, to: string): Promise<void> {
  const source = join(from, 'data.mdb');
  if (!hasDatabase(source)) throw new StoreOpenError(`${name} does not exist in ${from}`);
  const problem = headerProblem(source) ?? contentProblem({ path: from, noSubdir: false });
  if (problem !== null) throw new StoreOpenError(`${name} in ${source} is damaged: ${problem}`);
  makePrivateFolder(to);
  const root = open({ path: from, readOnly: true, encoding: 'binary' });
  try {
    await root.backup(to, true);
  } finally {
    await root.close();
  }
  const copy = join(to, 'data.mdb');
  chmodSync(copy, 0o600);
  const wrong = contentProblem({ path: to, noSubdir: false });
  if (wrong !== null) throw new StoreOpenError(`the copy of ${name} in ${copy} is damaged: ${wrong}`);
}
