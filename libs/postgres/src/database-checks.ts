import { Client, type ClientBase } from 'pg';
import { DatabaseError, databaseProblem } from './database-error';

const localHosts = ['localhost', '127.0.0.1', '::1'];

/**
 * Why a URL is not accepted; null if it is. On another machine, the connection is encrypted and the server's certificate
 * is checked, or the URL states that it is not.
 */
export function databaseUrlProblem(url: string): string | null {
  if (!/^postgres(ql)?:\/\//.test(url)) return 'must begin with postgres:// or postgresql://';
  // As the driver reads it, which decodes the names and uses the last of several.
  const [mode, ...others] = new URLSearchParams(url.split('#', 1).join('').split('?').slice(1).join('?')).getAll(
    'sslmode',
  );
  if (others.length > 0) return 'has sslmode more than once';
  if (mode !== undefined && mode !== 'verify-full' && mode !== 'disable') {
    return 'has an sslmode other than verify-full and disable';
  }
  try {
    const { host, database } = new Client({ connectionString: url });
    if (!database) return 'names no database';
    const isLocal = host.startsWith('/') || localHosts.includes(host);
    if (isLocal || mode !== undefined) return null;
    return 'needs sslmode=verify-full, or sslmode=disable for a network that encrypts by itself';
  } catch (error) {
    // The message of an invalid URL may contain the password; that of a certificate file names the file.
    const isOfFile = typeof error === 'object' && error !== null && 'syscall' in error;
    return isOfFile ? `names a certificate that cannot be read: ${databaseProblem(error)}` : 'is not a valid URL';
  }
}

interface Durability {
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly isStandby: boolean;
  readonly schema: string | null;
}

/** @throws DatabaseError for a server that may lose a commit, that is a standby, or that has no schema for the role */
export async function requireDurable(connection: ClientBase): Promise<void> {
  const { rows } = await connection.query<Durability>(
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as "synchronousCommit",
       pg_is_in_recovery() as "isStandby", current_schema() as schema`,
  );
  const [found] = rows;
  const problem = found && durabilityProblem(found);
  if (problem) throw new DatabaseError(problem);
}

function durabilityProblem({ fsync, synchronousCommit, isStandby, schema }: Durability): string | null {
  if (isStandby) return 'the server is a standby: connect to the primary';
  if (fsync === 'off') return 'the server has fsync off: a crash of its machine would lose commits';
  if (synchronousCommit === 'off') return 'synchronous_commit is off: a crash of the server would lose commits';
  return schema === null ? 'the role has no schema: create one and set its search_path' : null;
}
