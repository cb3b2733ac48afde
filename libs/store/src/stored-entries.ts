import { open } from 'lmdb';
import { contentProblem } from './check-in-child';
import { headerProblem } from './database-file';
import { StoreOpenError } from './store';

/** An entry as its bytes are stored, of any version. */
export interface StoredEntry {
  readonly table: string;
  readonly key: Buffer;
  readonly value: Buffer;
}

/** More than any version has. */
const mostTables = 64;

/**
 * Reads every entry of every table of a database file that nothing writes, also of tables that this version does not know.
 * @param name what it holds, for messages: "the state"
 * @throws StoreOpenError when it is damaged
 */
export async function storedEntries(name: string, path: string): Promise<StoredEntry[]> {
  const problem = headerProblem(path) ?? contentProblem({ path, noSubdir: true });
  if (problem !== null) throw new StoreOpenError(`${name} in ${path} is damaged: ${problem}`);
  const root = open({ path, noSubdir: true, readOnly: true, maxDbs: mostTables, encoding: 'binary' });
  try {
    // A table cannot be opened while the names are read.
    return [...root.getKeys()].flatMap((table) => {
      const entries = root.openDB<Buffer, Buffer>({ name: String(table), encoding: 'binary', keyEncoding: 'binary' });
      return [...entries.getRange()].map(({ key, value }) => {
        return { table: String(table), key: Buffer.from(key), value: Buffer.from(value) };
      });
    });
  } finally {
    await root.close();
  }
}
