import { join } from 'node:path';
import type { Store, StoreEngine, Table } from '@libs/store';
import { intentShape, type Change, type IntentRecord } from '../core/records';
import { changedExpiresMs } from '../core/intent-call';
import { record, number, type Stored } from '../core/shape';
import { readRecord } from './record-table';
import { StateOpenError } from './state-open-error';

/** A request, and the token of the lease that it was sent under. */
const exitMembers = { token: number, intent: intentShape };
const exitShape = record(exitMembers);
export type ExitRecord = Stored<typeof exitMembers>;

type ExitKey = [unit: string, key: string];

interface ExitTables {
  readonly exits: Table<ExitRecord, ExitKey>;
}

/** Sorts after every text that a key may contain. */
const last = '\u{10ffff}';

/**
 * Exits that were sent while the database could not be written, on the disk of this host. They are merged into the state
 * of their unit before anything else is written there: by the next write, or when this host takes the unit again.
 */
export class ExitJournal {
  private constructor(private readonly store: Store<ExitTables>) {}

  /** Opens the journal in a state directory. The caller must hold the lock of the directory. @throws StateOpenError */
  static open(stateDir: string, stores: StoreEngine): ExitJournal {
    const path = join(stateDir, 'exits.lmdb');
    const options = { name: 'the journal of exits', path, layout: 'file', maxTables: 2 } as const;
    try {
      return new ExitJournal(stores.open<ExitTables>(options, (source) => ({ exits: source.table('exits') })));
    } catch (error) {
      throw new StateOpenError(error instanceof Error ? error.message : String(error));
    }
  }

  /** Exits of a unit that have not been merged yet. @throws StateReadError */
  of(unit: string): ExitRecord[] {
    return this.store.read(({ exits }) =>
      [...exits.getKeys({ start: [unit, ''], end: [unit, last] })].map((key) =>
        readRecord(exits, 'exits', key, exitShape),
      ),
    );
  }

  /** Keeps the exits of a change that could not be written, with their outcomes. @throws Error when the disk does not take them */
  async keep(unit: string, token: number, { intents = [] }: Change): Promise<void> {
    const exits = intents.filter((intent) => !intent.isEntry && !changedTicket(intent));
    if (exits.length === 0) return;
    await this.store.write((tables) => {
      for (const intent of exits) void tables.exits.put([unit, intent.key], { token, intent });
    });
  }

  /** Removes exits that were merged. @throws Error when the disk cannot be written */
  async remove(unit: string, merged: readonly ExitRecord[]): Promise<void> {
    if (merged.length === 0) return;
    await this.store.write((tables) => {
      for (const { intent } of merged) void tables.exits.remove([unit, intent.key]);
    });
  }

  async close(): Promise<void> {
    await this.store.close();
  }
}

/** Whether it was executed and changed its ticket, which is not kept: it stays open, and is found out once more. */
function changedTicket({ state, call }: IntentRecord): boolean {
  return state === 'done' && changedExpiresMs(call) !== undefined;
}
