import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { SystemClock } from '@libs/clock';
import { table } from '@libs/command-line';
import { Database, DatabaseError } from '@libs/postgres';
import { hostNameOf, readDaemonSettings } from '../daemon.config';
import { begunMove, copyOf, movedState, stateFile, type StateMove } from '../state-move/moved-state';
import {
  completeMove,
  movableState,
  moveState,
  StateMoveError,
  targetProblems,
  type MovableState,
  type MoveTarget,
} from '../state-move/move-state';
import { unitName } from '../state/unit-states';
import { NoDaemonError } from './control-client';
import { databaseUrl } from './fleet-database';
import { lockOf } from './stored-records';

/** A large state takes longer than the statements of a host. */
const timeoutMs = 60_000;

interface MoveFlags {
  readonly stateDir: string;
  readonly isDryRun: boolean;
}

/** `daemon state move`: moves the state of a daemon without a database into the database of a fleet. */
export async function stateMove({ stateDir, isDryRun }: MoveFlags): Promise<number> {
  const url = databaseUrl();
  if (!existsSync(stateFile(stateDir))) throw new NoDaemonError(`no state found in ${stateDir}`);
  const lock = await lockOf(stateDir);
  const database = await opened(url);
  try {
    const locked = lock === null ? [`a daemon is using ${stateDir}: stop it`] : [];
    if (lock === null || database instanceof DatabaseError) {
      throw new StateMoveError([...locked, ...(database instanceof DatabaseError ? [database.message] : [])]);
    }
    const target = { database, name: nameOf(url) };
    const moved = await movedState(stateDir);
    if (moved !== null) return await complete(stateDir, moved, target, isDryRun);
    const state = await movableState(stateDir);
    const problems = [...state.problems, ...(await targetProblems(stateDir, state, target))];
    if (problems.length > 0) throw new StateMoveError(problems);
    print(shown(state));
    if (isDryRun) return 0;
    return await moving(stateDir, state, target);
  } finally {
    if (database instanceof Database) await database.close();
    await lock?.release();
  }
}

async function moving(stateDir: string, state: MovableState, target: MoveTarget): Promise<number> {
  const begun = await begunMove(stateDir);
  const move: StateMove = {
    note: 'The state that was here is in a database. Start the daemon with DAEMON_DATABASE_URL.',
    // The database knows a begun move by them, whatever the host is called by now.
    id: begun?.id ?? randomBytes(8).toString('hex'),
    source: begun?.source ?? `${stateDir} on ${hostNameOf(readDaemonSettings())}`,
    database: target.name,
    units: state.units.map(({ name }) => name),
    begunAt: new Date(new SystemClock().nowMs()).toISOString(),
  };
  await moveState(stateDir, move, state, target);
  print(`moved into ${target.name}; ${copyOf(stateDir, move)} is a copy that nothing uses`);
  return 0;
}

async function complete(stateDir: string, move: StateMove, target: MoveTarget, isDryRun: boolean): Promise<number> {
  const units = (await completeMove(move, target, isDryRun)).join(', ');
  const where = `into ${target.name}; ${copyOf(stateDir, move)} is a copy that nothing uses`;
  if (units === '') print(`the state was moved before ${where}`);
  else print(isDryRun ? `to be completed: no host can take ${units} yet` : `completed: ${units} moved ${where}`);
  return 0;
}

async function opened(url: string): Promise<Database | DatabaseError> {
  try {
    return await Database.open({ url, applicationName: 'trading-daemon command', connections: 1, timeoutMs });
  } catch (error) {
    if (error instanceof DatabaseError) return error;
    throw error;
  }
}

/** Host and name of a database, without its user and password. */
function nameOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${decodeURIComponent(hostname)}${port === '' ? '' : `:${port}`}${pathname}`;
}

/** What is about to be moved, a unit a row. */
function shown({ units, dump }: MovableState): string {
  const rows = units.map(({ name, entries }) => {
    const isOwn = (strategy: string): boolean => unitName(strategy) === name;
    const tickets = dump.tickets.filter(({ strategy, closed }) => isOwn(strategy) && !closed);
    const requests = dump.intents.filter(({ strategy, state }) => isOwn(strategy) && state === 'open');
    const stacks = dump.stacks.filter(({ strategy, over }) => isOwn(strategy) && !over);
    const halted = dump.strategies.filter((record) => isOwn(record.name) && record.halt !== null);
    return [name, tickets.length, requests.length, stacks.length, halted.length, entries.length];
  });
  return table(['UNIT', 'OPEN TICKETS', 'OPEN REQUESTS', 'STACKS', 'HALTS', 'ENTRIES'], rows);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
