import type { Table, TableSource } from '@libs/store';
import type { Shape } from '../core/shape';

/** A key begins with the strategy and whether the record is still of interest, so that both are read as one range. */
export type Key = (string | number)[];

/** A record of the state cannot be understood; the message names its database and its key. */
export class StateReadError extends Error {
  constructor(database: string, key: unknown, problem: string) {
    super(`the state cannot be read: ${database} ${JSON.stringify(key)} ${problem}`);
  }
}

export interface TableOptions<T> {
  readonly name: string;
  readonly shape: Shape;
  /** Identifies a record among those of its strategy. */
  readonly idOf: (record: T) => Key;
  /** While true it may be needed at any time; afterwards it is kept for a while. */
  readonly isOpen: (record: T) => boolean;
}

/** After every text that may stand in a key. */
const last = '\u{10ffff}';

/** The records of one kind: those that are open, and past ones, each strategy's together. */
export class RecordTable<T extends { readonly strategy: string }> {
  private readonly database: Table<T, Key>;

  constructor(
    source: TableSource,
    private readonly options: TableOptions<T>,
  ) {
    this.database = source.table(options.name);
  }

  get name(): string {
    return this.options.name;
  }

  /** The open records of a strategy. @throws StateReadError naming the first that cannot be understood */
  open(strategy: string): T[] {
    const keys = this.database.getKeys({ start: [strategy, 'open'], end: [strategy, 'open', last] });
    return [...keys].map((key) => this.read(key));
  }

  /** All records of a strategy, open and past. @throws StateReadError naming the first that cannot be understood */
  of(strategy: string): T[] {
    const keys = this.database.getKeys({ start: [strategy, 'open'], end: [strategy, 'past', last] });
    return [...keys].map((key) => this.read(key));
  }

  /** One record, open or past. @throws StateReadError */
  find(strategy: string, id: Key): T | null {
    const key = (['open', 'past'] as const)
      .map((state) => [strategy, state, ...id])
      .find((candidate) => this.database.doesExist(candidate));
    return key ? this.read(key) : null;
  }

  /** Writes a record; only within a transaction. Returns the key of one that is past, which may be pruned some day. */
  put(record: T): Key | null {
    const { idOf, isOpen } = this.options;
    const open = [record.strategy, 'open', ...idOf(record)];
    const past = [record.strategy, 'past', ...idOf(record)];
    const stays = isOpen(record);
    void this.database.remove(stays ? past : open);
    void this.database.put(stays ? open : past, record);
    return stays ? null : past;
  }

  /** Removes a past record; only within a transaction. */
  drop(key: Key): void {
    if (key[1] === 'past') void this.database.remove(key);
  }

  /** Everything that can be read, and what is wrong with the rest. */
  all(): { readonly records: T[]; readonly unreadable: string[] } {
    const records: T[] = [];
    const unreadable: string[] = [];
    for (const key of this.database.getKeys()) {
      try {
        records.push(this.read(key));
      } catch (error) {
        unreadable.push(error instanceof Error ? error.message : String(error));
      }
    }
    return { records, unreadable };
  }

  private read(key: Key): T {
    return readRecord(this.database, this.options.name, key, this.options.shape);
  }
}

/** A record that has its shape. @throws StateReadError */
export function readRecord<T, K extends Key | string>(database: Table<T, K>, name: string, key: K, shape: Shape): T {
  let value: T | undefined;
  try {
    value = database.get(key);
  } catch (error) {
    throw new StateReadError(name, key, `is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const problem = shape(value);
  if (value === undefined || problem !== null) throw new StateReadError(name, key, problem ?? 'is missing');
  return value;
}
