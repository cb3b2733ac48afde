import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { databaseProblem, StateImport, StateImportError, type Database, type ImportedUnit } from '@libs/postgres';
import { storedEntries, keyOfBytes, type StoredEntry } from '@libs/store';
import { StateStore, type Dump } from '../state/state-store';
import { beginMove, begunMove, stateFile, takeOut, type StateMove } from './moved-state';
import { unitName } from '../state/unit-states';

/** A state cannot be moved; it is as it was. */
export class StateMoveError extends Error {
  constructor(problems: readonly string[]) {
    super(['nothing was moved:', ...problems.map((problem) => `  ${problem}`)].join('\n'));
  }
}

/** A move has begun, and the same command completes it. */
export class UnfinishedMoveError extends Error {
  constructor(cause: unknown) {
    super(`the move is not complete: ${databaseProblem(cause)}; run the command again`, { cause });
  }
}

/** A state in a directory whose lock the caller holds. */
export interface MovableState extends StoredUnits {
  readonly dump: Dump;
}

/** A database, and its host and name. */
export interface MoveTarget {
  readonly database: Database;
  readonly name: string;
}

/** Reads a state with everything that keeps it from being moved. @throws StateOpenError, StoreOpenError */
export async function movableState(stateDir: string): Promise<MovableState> {
  const store = StateStore.open(stateDir);
  const dump = store.dump();
  await store.close();
  const { units, problems } = storedUnits(await storedEntries('the state', stateFile(stateDir)));
  return { units, dump, problems: [...dump.unreadable, ...problems, ...(await keptExits(stateDir))] };
}

/** Why the units cannot be taken into the database now. */
export async function targetProblems(stateDir: string, { units }: StoredUnits, target: MoveTarget): Promise<string[]> {
  const begun = await begunMove(stateDir);
  const names = units.map(({ name }) => name);
  // Without a begun move, every lease that is held is that of another.
  return new StateImport(target.database, sourceOf(begun ?? { source: stateDir, id: '' })).problems(names);
}

/**
 * Moves a state: whole into the database first, where no host can take it; then out of its directory, by one rename; then
 * free for the hosts. A crash leaves it usable in one of the two places, or in none until the move is completed.
 * @param move with the id of one that was begun
 * @throws StateMoveError; the state is as it was
 * @throws UnfinishedMoveError
 */
export async function moveState(
  stateDir: string,
  move: StateMove,
  { units }: StoredUnits,
  { database }: MoveTarget,
): Promise<void> {
  const imported = new StateImport(database, sourceOf(move));
  try {
    await beginMove(stateDir, move);
    await imported.write(units);
    await takeOut(stateDir, move);
    await imported.finish();
  } catch (error) {
    throw error instanceof StateImportError ? new StateMoveError(error.problems) : new UnfinishedMoveError(error);
  }
}

/**
 * Completes a move that has taken the state out of its directory.
 * @param isDryRun only looks what is left to do
 * @returns the units that hosts can take only now; none if it was complete
 * @throws StateMoveError if the state is in another database
 * @throws UnfinishedMoveError
 */
export async function completeMove(
  move: StateMove,
  { database, name }: MoveTarget,
  isDryRun: boolean,
): Promise<readonly string[]> {
  const imported = new StateImport(database, sourceOf(move));
  try {
    const missing = await imported.missing(move.units);
    if (missing.length === 0) return await (isDryRun ? imported.pending() : imported.finish());
    const problem = `the state was moved into ${move.database}; ${name} does not have that of ${missing.join(', ')}`;
    throw new StateMoveError([problem]);
  } catch (error) {
    throw error instanceof StateMoveError ? error : new UnfinishedMoveError(error);
  }
}

/** Exits that this directory kept as that of a host of a fleet, and that a database does not have yet. */
async function keptExits(stateDir: string): Promise<readonly string[]> {
  const path = join(stateDir, 'exits.lmdb');
  if (!existsSync(path)) return [];
  const { length } = await storedEntries('the journal of exits', path);
  const remedy = 'start the daemon with that database, or move the file away';
  return length === 0 ? [] : [`${path} has exits that a database did not take (${length}): ${remedy}`];
}

function sourceOf({ source, id }: Pick<StateMove, 'source' | 'id'>): string {
  return `${source}, ${id}`;
}

/** The state of a daemon without a database, as the units of a fleet have it. */
interface StoredUnits {
  /** By name. */
  readonly units: readonly ImportedUnit[];
  /** Entries that this version cannot assign to a unit. */
  readonly problems: readonly string[];
}

/** Splits a state by units. Each entry belongs to one: none is shared, and none is left out. */
export function storedUnits(entries: readonly StoredEntry[]): StoredUnits {
  const units = new Map<string, StoredEntry[]>();
  const problems = new Set<string>();
  for (const entry of entries) {
    const strategy = strategyOf(entry);
    if (strategy === null) {
      problems.add(
        `the state has the table ${entry.table} of another version, or an entry in it that is not of a strategy`,
      );
      continue;
    }
    const unit = unitName(strategy);
    const own = units.get(unit) ?? [];
    own.push(entry);
    units.set(unit, own);
  }
  const named = [...units].map(([name, own]) => ({ name, entries: own }));
  return { units: named.sort((a, b) => (a.name < b.name ? -1 : 1)), problems: [...problems] };
}

/** The strategy or portfolio that an entry belongs to; null if the table is unknown, or the entry is of none. */
function strategyOf({ table, key: bytes, value }: StoredEntry): string | null {
  const key = keyOfBytes(bytes);
  const parts: readonly unknown[] = Array.isArray(key) ? key : [key];
  switch (table) {
    case 'strategies':
    case 'kept-by-strategy':
    case 'tickets-by-strategy':
    case 'intents-by-strategy':
    case 'stacks-by-strategy':
      return textOf(parts[0]);
    // Time, table, and the key of the record there.
    case 'expiries':
      return textOf(parts[2]);
    // Gateway and ticket; the value is the owner.
    case 'owners':
      return ownerOf(value);
    default:
      return null;
  }
}

function ownerOf(value: Buffer): string | null {
  try {
    return textOf(JSON.parse(value.toString()));
  } catch {
    return null;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
