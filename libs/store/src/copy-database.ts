import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentProblem } from './check-in-child';
import { hasDatabase, headerProblem } from './database-file';
import { makePrivateFile, makePrivateFolder } from './private-modes';
import { StoreOpenError } from './store';

/**
 * Copies a database that is not being written, and checks the copy. The file is copied as it is: to open a database can make its
 * writer lose a commit (lmdb 3), if there is a writer after all.
 * @param name what it holds, for messages: "the trade journal"
 * @param from folder of the database
 * @param to folder of the copy; made when it does not exist
 * @throws StoreOpenError when there is no database, or when it is damaged
 */
export async function copyDatabase(name: string, from: string, to: string): Promise<void> {
  const [source, copy] = [join(from, 'data.mdb'), join(to, 'data.mdb')];
  if (!hasDatabase(source)) throw new StoreOpenError(`${name} does not exist in ${from}`);
  const problem = headerProblem(source);
  if (problem !== null) throw new StoreOpenError(`${name} in ${source} is damaged: ${problem}`);
  makePrivateFolder(to);
  await copyFile(source, copy);
  makePrivateFile(copy);
  requireSoundCopy(name, to);
}

/**
 * Reads all of a copy in a process of its own.
 * @param name what the copied database holds, for messages
 * @throws StoreOpenError when it is damaged
 */
export function requireSoundCopy(name: string, folder: string): void {
  const problem = contentProblem({ path: folder, noSubdir: false });
  if (problem !== null) throw new StoreOpenError(`the copy of ${name} in ${folder} is damaged: ${problem}`);
}
