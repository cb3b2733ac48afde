import type { ClientBase } from 'pg';
import { DatabaseError } from './database-error';
import { migrations, type Migration } from './migrations';

/** Any number that no other program in the database uses: programs that start together migrate one after the other. */
const lockKey = 7_221_094_118;

interface Applied {
  readonly number: number;
  readonly oldestReader: number;
}

/**
 * Applies the steps that the tables do not have, in one transaction and under an advisory lock. Tables of a later version
 * are left as they are.
 * @throws DatabaseError when only a later version can read the tables
 */
export async function migrate(connection: ClientBase, steps: readonly Migration[] = migrations): Promise<void> {
  await connection.query('begin');
  try {
    await connection.query('select pg_advisory_xact_lock($1)', [lockKey]);
    const applied = await appliedSteps(connection);
    requireReadable(applied, steps);
    const newest = Math.max(0, ...applied.map(({ number }) => number));
    for (const step of steps.filter(({ number }) => number > newest)) await apply(connection, step);
    await connection.query('commit');
  } catch (error) {
    // The connection may be what has failed.
    await connection.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function appliedSteps(connection: ClientBase): Promise<readonly Applied[]> {
  // A role without the right to create tables can use those that are there.
  const { rows: found } = await connection.query<{ readonly table: string | null }>(
    `select to_regclass('migration')::text as table`,
  );
  if (found[0]?.table == null) {
    await connection.query(
      `create table migration (
         number integer primary key, oldest_reader integer not null, applied_at timestamptz not null default now())`,
    );
  }
  const { rows } = await connection.query<Applied>(
    'select number, oldest_reader as "oldestReader" from migration order by number',
  );
  return rows;
}

function requireReadable(applied: readonly Applied[], steps: readonly Migration[]): void {
  const own = Math.max(...steps.map(({ number }) => number));
  const oldest = Math.max(0, ...applied.map(({ oldestReader }) => oldestReader));
  if (oldest <= own) return;
  throw new DatabaseError(
    `the tables are of a later version: they need a program with step ${oldest}, this one has ${own}`,
  );
}

async function apply(connection: ClientBase, { number, oldestReader, sql }: Migration): Promise<void> {
  await connection.query(sql);
  await connection.query('insert into migration (number, oldest_reader) values ($1, $2)', [number, oldestReader]);
}
