import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@libs/clock';
import type { Store, StoreEngine, Table } from '@libs/store';
import type { Logger } from 'pino';
import { changedExpiresMs } from '../core/intent-call';
import { intentShape, type Change, type IntentRecord } from '../core/records';
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

export interface ExitJournalOptions {
  readonly stores: StoreEngine;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** How long the state keeps a request after it has ended. */
  readonly keepDays: number;
}

/** After every text that may stand in a key. */
const last = '\u{10ffff}';
const dayMs = 86_400_000;

/**
 * Exits that were sent while the database could not be written, on the disk of this host. They are merged into the state
 * of their unit before anything else is written there: by the next write, or when this host takes the unit again.
 */
export class ExitJournal {
  /** Problems that are in the log. */
  private readonly logged = new Set<string>();

  private constructor(
    private readonly store: Store<ExitTables>,
    private readonly path: string,
    private readonly options: ExitJournalOptions,
  ) {}

  /** Opens the journal in a state directory whose lock the caller holds. @throws StateOpenError */
  static open(stateDir: string, options: ExitJournalOptions): ExitJournal {
    const path = join(stateDir, 'exits.lmdb');
    const file = { name: 'the journal of exits', path, layout: 'file', maxTables: 2 } as const;
    try {
      const store = options.stores.open<ExitTables>(file, (source) => ({ exits: source.table('exits') }));
      return new ExitJournal(store, path, options);
    } catch (error) {
      throw new StateOpenError(messageOf(error));
    }
  }

  /** Exits of all units that are not merged yet. */
  get count(): number {
    return this.store.read(({ exits }) => exits.getKeysCount());
  }

  /** Exits of a unit that are not merged yet. @throws Error for one that cannot be read, with the remedy */
  of(unit: string): ExitRecord[] {
    try {
      return this.keysOf(unit).map((key) => this.read(key));
    } catch (error) {
      const remedy = `to run ${unit} here without the exits in ${this.path}, stop the daemon and move that file away`;
      throw new Error(`${messageOf(error)}; ${remedy}`, { cause: error });
    }
  }

  /**
   * The same without those that cannot be read or merged: they stay where they are, and are logged.
   * @param requireKnown throws if the state's record of the request cannot be read
   */
  mergeable(unit: string, requireKnown: (intent: IntentRecord) => void): ExitRecord[] {
    return this.tried([], () => this.keysOf(unit)).flatMap((key) =>
      this.tried([], () => {
        const exit = this.read(key);
        requireKnown(exit.intent);
        return [exit];
      }),
    );
  }

  /** Whether the state may have known its outcome, and removed it: DAEMON_STATE_KEEP_DAYS are over. */
  isOutdated({ intent }: ExitRecord): boolean {
    const { clock, keepDays } = this.options;
    return intent.createdAtMs < clock.nowMs() - keepDays * dayMs;
  }

  /** Keeps the exits of a change that could not be written, with their outcomes. @throws Error when the disk does not take them */
  async keep(unit: string, token: number, { intents = [] }: Change): Promise<void> {
    const exits = intents.filter((intent) => !intent.isEntry && !changedTicket(intent));
    if (exits.length === 0) return;
    // A change has everything that the changes before it could not write.
    const isNew = (intent: IntentRecord): boolean =>
      !this.store.read((tables) => isDeepStrictEqual(tables.exits.get([unit, intent.key]), { token, intent }));
    const added = this.tried(exits, () => exits.filter(isNew));
    await this.store.write((tables) => {
      for (const intent of exits) void tables.exits.put([unit, intent.key], { token, intent });
    });
    this.warn('exits that the database did not take are kept on this host', unit, added);
  }

  /** Forgets exits that were merged, and those that are outdated. @throws Error when the disk does not take it */
  async merged(unit: string, all: readonly ExitRecord[]): Promise<void> {
    if (all.length === 0) return;
    const intentsOf = (exits: readonly ExitRecord[]): IntentRecord[] => exits.map(({ intent }) => intent);
    await this.store.write(({ exits }) => {
      for (const exit of all) {
        const key: ExitKey = [unit, exit.intent.key];
        // Its outcome may have been kept meanwhile.
        if (isDeepStrictEqual(exits.get(key), exit)) void exits.remove(key);
      }
    });
    const outdated = all.filter((exit) => this.isOutdated(exit));
    const written = all.filter((exit) => !outdated.includes(exit));
    this.warn('exits that were kept on this host are written to the database', unit, intentsOf(written));
    this.warn('exits that were kept on this host are dropped: they are too old', unit, intentsOf(outdated));
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  private keysOf(unit: string): ExitKey[] {
    return this.store.read(({ exits }) => [...exits.getKeys({ start: [unit, ''], end: [unit, last] })]);
  }

  private read(key: ExitKey): ExitRecord {
    return this.store.read(({ exits }) => readRecord(exits, 'exits', key, exitShape));
  }

  private tried<Found>(otherwise: Found, read: () => Found): Found {
    try {
      return read();
    } catch (error) {
      const problem = messageOf(error);
      const facts = { file: this.path, problem };
      if (!this.logged.has(problem))
        this.options.logger.error(facts, 'an exit that is kept on this host cannot be merged');
      this.logged.add(problem);
      return otherwise;
    }
  }

  private warn(text: string, unit: string, exits: readonly IntentRecord[]): void {
    if (exits.length === 0) return;
    this.options.logger.warn({ unit, exits: exits.length, keys: exits.map(({ key }) => key) }, text);
  }
}

/** Whether it was executed and changed its ticket, which is not kept: it stays open, and is found out once more. */
function changedTicket({ state, call }: IntentRecord): boolean {
  return state === 'done' && changedExpiresMs(call) !== undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
