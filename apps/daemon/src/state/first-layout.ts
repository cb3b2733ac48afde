import type { Table, TableSource } from '@libs/store';
import type { StackRecord } from '../trading/stack';
import { StateReadError } from './record-table';
import type { IntentRecord, OwnedTicket } from './records';

/** Records with their keys. */
export interface FirstRecords {
  readonly tickets: readonly [string, OwnedTicket][];
  readonly intents: readonly [string, IntentRecord][];
  readonly stacks: readonly [string, StackRecord][];
}

/**
 * The databases of the first version, whose keys did not tell the strategy. A state directory may be taken back and forth
 * between the versions: whatever stands in them is newer than what was taken over before.
 */
export class FirstLayout {
  private readonly tickets: Table<OwnedTicket, string>;
  private readonly intents: Table<IntentRecord, string>;
  private readonly stacks: Table<StackRecord, string>;

  constructor(source: TableSource) {
    this.tickets = source.table('tickets');
    this.intents = source.table('intents');
    this.stacks = source.table('stacks');
  }

  get isEmpty(): boolean {
    return [this.tickets, this.intents, this.stacks].every((database) => database.getKeysCount({ limit: 1 }) === 0);
  }

  /** @throws StateReadError for a record that does not even tell its strategy: it might be anybody's */
  all(): FirstRecords {
    return {
      tickets: entriesOf('tickets', this.tickets),
      intents: entriesOf('intents', this.intents),
      stacks: entriesOf('stacks', this.stacks),
    };
  }

  /** Only within a transaction. */
  clear(): void {
    for (const database of [this.tickets, this.intents, this.stacks]) database.clearSync();
  }
}

function entriesOf<T extends { readonly strategy: string }>(name: string, database: Table<T, string>): [string, T][] {
  return [...database.getKeys()].map((key) => {
    let value: T | undefined;
    try {
      value = database.get(key);
    } catch {
      throw new StateReadError(name, key, 'is no JSON');
    }
    if (typeof value?.strategy !== 'string') throw new StateReadError(name, key, 'names no strategy');
    return [key, value];
  });
}
