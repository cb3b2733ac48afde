import { spawnSync } from 'node:child_process';

/** A file that takes longer than this to read is not started with. */
const timeoutMs = 300_000;

/**
 * What the child runs: it opens the database read-only and reads every entry of every table. A damaged page ends it by
 * a signal or an error. A table whose pages form a loop would never end, so entries are counted against the table's
 * header.
 */
const walk = `
// LMDB makes a lock file beside a copy that has none.
process.umask(0o077);
const { open } = require(process.argv[1]);
const { path, noSubdir } = JSON.parse(process.argv[2]);
const root = open({ path, noSubdir, readOnly: true, maxDbs: 64, encoding: 'binary' });
for (const name of [...root.getKeys()]) {
  const table = root.openDB({ name, encoding: 'binary', keyEncoding: 'binary' });
  const { entryCount } = table.getStats();
  let entries = 0;
  for (const { value } of table.getRange({ snapshot: true })) {
    if (value === undefined || ++entries > entryCount) break;
  }
  if (entries !== entryCount) throw new Error('table ' + name + ' has ' + entries + ' of ' + entryCount + ' entries');
}
process.exit(0);
`;

export interface CheckedFile {
  /** As LMDB opens it: the file, or its folder. */
  readonly path: string;
  readonly noSubdir: boolean;
}

/**
 * Reads a whole database in a process of its own, because a damaged one ends the process that reads it. Blocks until
 * the child has ended. @returns what is wrong with the file, null for nothing @throws Error when the child cannot be
 * run
 */
export function contentProblem(file: CheckedFile): string | null {
  const child = spawnSync(
    process.execPath,
    ['--input-type=commonjs', '-e', walk, require.resolve('lmdb'), JSON.stringify(file)],
    { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', timeout: timeoutMs, killSignal: 'SIGKILL' },
  );
  if (child.error) throw new Error(`the file could not be checked: ${child.error.message}`);
  if (child.signal !== null) return `the check ended with signal ${child.signal}`;
  return child.status === 0 ? null : (errorLine(child.stderr) ?? `the check ended with exit code ${child.status}`);
}

/** The message of the error that ended the child. */
function errorLine(output: string): string | null {
  return /^\w*Error: (.*)$/m.exec(output)?.[1]?.trim() ?? null;
}
