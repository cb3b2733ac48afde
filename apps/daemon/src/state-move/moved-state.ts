import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, lastBytes, machineFiles, type Files } from '@libs/files';
import { StateOpenError } from '../state/state-open-error';

/** A move of a state into a database. Its text takes the place of the state, which no version can use then. */
export interface StateMove {
  /** For people who look into the file. */
  readonly note: string;
  readonly id: string;
  /** The host that has begun it, and its state directory there. */
  readonly source: string;
  /** Host and name of the database. */
  readonly database: string;
  readonly units: readonly string[];
  readonly begunAt: string;
}

/** More than the text of a move has. */
const mostBytes = 16 * 1024 * 1024;

/** The file of the state; after a move, that of the {@link StateMove}. */
export function stateFile(stateDir: string): string {
  return join(stateDir, 'state.lmdb');
}

/** A copy of the state as it was when it was moved. */
export function copyOf(stateDir: string, { id }: Pick<StateMove, 'id'>): string {
  return join(stateDir, `state.moved-${id}.lmdb`);
}

/** The move that took the state out of a directory; null if it is there, or none was. @throws Error of the file system */
export function movedState(stateDir: string, files: Files = machineFiles): Promise<StateMove | null> {
  return read(stateFile(stateDir), files);
}

/** @throws StateOpenError if the state is not there because it was moved */
export async function requireNotMoved(stateDir: string, files: Files = machineFiles): Promise<void> {
  // Why a file cannot be read is what opening it reports.
  const move = await movedState(stateDir, files).catch(() => null);
  if (move === null) return;
  const where = `the state of ${stateDir} was moved into the database ${move.database}`;
  throw new StateOpenError(`${where}: start the daemon with DAEMON_DATABASE_URL`);
}

/** A move that was begun and has not taken the state out of its directory; null for none. */
export function begunMove(stateDir: string): Promise<StateMove | null> {
  return read(begunFile(stateDir), machineFiles);
}

/** Keeps a move before anything is written to the database. The state can still be used. @throws Error of the file system */
export async function beginMove(stateDir: string, move: StateMove): Promise<void> {
  const fresh = `${begunFile(stateDir)}.tmp`;
  const file = await machineFiles.open(fresh, 'w', 0o600);
  try {
    await file.appendFile(`${JSON.stringify(move, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await machineFiles.rename(fresh, begunFile(stateDir));
  await flush(stateDir);
}

/** Puts a begun move in the place of the state, of which a copy stays. One rename decides. @throws Error of the file system */
export async function takeOut(stateDir: string, move: StateMove): Promise<void> {
  const copy = copyOf(stateDir, move);
  await copyFile(stateFile(stateDir), copy);
  await machineFiles.chmod(copy, 0o600);
  await flush(copy);
  await flush(dirname(copy));
  await machineFiles.rename(begunFile(stateDir), stateFile(stateDir));
  await flush(stateDir);
}

function begunFile(stateDir: string): string {
  return join(stateDir, 'state.lmdb.moving');
}

async function read(path: string, files: Files): Promise<StateMove | null> {
  try {
    const file = await files.open(path, 'r');
    try {
      const first = Buffer.alloc(1);
      await file.read(first, 0, 1, 0);
      // A database begins with the number of its first page, which is 0.
      if (first.toString() !== '{') return null;
      return JSON.parse((await lastBytes(file, mostBytes)).toString()) as StateMove;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Waits until the disk has a file, or the names in a folder. Windows has no such wait for folders. */
async function flush(path: string): Promise<void> {
  const isFolder = (await machineFiles.stat(path, { bigint: true })).isDirectory();
  if (isFolder && process.platform === 'win32') return;
  const file = await machineFiles.open(path, isFolder ? 'r' : 'a');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
