import { join } from 'node:path';
import { SystemClock, type Clock } from '@libs/clock';
import { lmdbStores, type StoreEngine, type Table, type TableSource, type TableStore } from '@libs/store';
import {
  intentShape,
  keptShape,
  strategyShape,
  ticketShape,
  type Change,
  type IntentRecord,
  type KeptRecord,
  type OwnedTicket,
  type StrategyRecord,
} from '../core/records';
import { type StackRecord, stackShape } from '../core/stack';
import { readRecord, RecordTable, type Key } from './record-table';
import { StateOpenError } from './state-open-error';

/** Everything that is remembered; `unreadable` says what is wrong with the rest. */
export interface Dump {
  readonly strategies: readonly StrategyRecord[];
  readonly tickets: readonly OwnedTicket[];
  readonly intents: readonly IntentRecord[];
  readonly stacks: readonly StackRecord[];
  readonly kept: readonly KeptRecord[];
  readonly unreadable: readonly string[];
}

/** What is remembered of one strategy. Past tickets and intents are kept for DAEMON_STATE_KEEP_DAYS. */
export interface StrategyRecords {
  /** Null if it never kept one. */
  readonly record: StrategyRecord | null;
  readonly tickets: readonly OwnedTicket[];
  readonly intents: readonly IntentRecord[];
}

/** The state could not be made durable. */
export class StateWriteError extends Error {}

/** The tables of the state. */
export interface StateTables {
  readonly strategies: Table<StrategyRecord, string>;
  readonly tickets: RecordTable<OwnedTicket>;
  readonly intents: RecordTable<IntentRecord>;
  readonly stacks: RecordTable<StackRecord>;
  /** What strategies keep under `trade.state`, by their names. */
  readonly kept: Table<KeptRecord, string>;
  /** Which strategy a ticket belongs to, by its gateway. */
  readonly owners: Table<string, Key>;
  /** Past records by the time they became so: time, table, key. */
  readonly expiries: Table<number, Key>;
}

export function stateTables(source: TableSource): StateTables {
  return {
    strategies: source.table('strategies'),
    tickets: new RecordTable(source, {
      name: 'tickets-by-strategy',
      shape: ticketShape,
      idOf: ({ broker, ticket }) => [broker, ticket],
      isOpen: ({ closed }) => !closed,
    }),
    intents: new RecordTable(source, {
      name: 'intents-by-strategy',
      shape: intentShape,
      idOf: ({ key }) => [key],
      isOpen: ({ state }) => state === 'open',
    }),
    stacks: new RecordTable(source, {
      name: 'stacks-by-strategy',
      shape: stackShape,
      idOf: ({ id }) => [id],
      isOpen: ({ over }) => !over,
    }),
    kept: source.table('kept-by-strategy'),
    owners: source.table('owners'),
    expiries: source.table('expiries'),
  };
}

/** The state of all strategies that run here. */
export type DaemonState = Pick<StateStore, keyof StateStore>;

/** The state as a strategy or a portfolio reads and writes it. */
export type StrategyState = Pick<
  StateStore,
  'strategy' | 'ticket' | 'openTickets' | 'openIntents' | 'intents' | 'openStacks' | 'kept' | 'recordsOf' | 'write'
>;

/** The daemon's durable memory: an LMDB environment in the state directory, or the tables of one unit on a server. */
export class StateStore {
  private constructor(
    private readonly store: TableStore<StateTables>,
    private readonly clock: Clock,
  ) {}

  /** Opens the state in a directory whose lock the caller holds. @throws StateOpenError */
  static open(stateDir: string, clock: Clock = new SystemClock(), stores: StoreEngine = lmdbStores): StateStore {
    const path = join(stateDir, 'state.lmdb');
    try {
      return new StateStore(
        stores.open({ name: 'the state', path, layout: 'file', maxTables: 16 }, stateTables),
        clock,
      );
    } catch (error) {
      throw new StateOpenError(messageOf(error));
    }
  }

  /** The state in tables that are open. */
  static over(store: TableStore<StateTables>, clock: Clock): StateStore {
    return new StateStore(store, clock);
  }

  /** @throws StateReadError, as everything here that reads */
  strategy(name: string): StrategyRecord | null {
    const tables = this.tables();
    if (!tables.strategies.doesExist(name)) return null;
    return readRecord(tables.strategies, 'strategies', name, strategyShape);
  }

  /** Names of everything that ever kept a record, portfolios included. */
  strategyNames(): string[] {
    const tables = this.tables();
    return [...tables.strategies.getKeys()];
  }

  /** A ticket of any strategy. */
  ticket(broker: string, ticket: number): OwnedTicket | null {
    const tables = this.tables();
    const owner = tables.owners.get([broker, ticket]);
    return owner === undefined ? null : tables.tickets.find(owner, [broker, ticket]);
  }

  /** The strategy that owns or owned a ticket; null for an external one. Does not read the record. */
  ownerOf(broker: string, ticket: number): string | null {
    const tables = this.tables();
    return tables.owners.get([broker, ticket]) ?? null;
  }

  /** Tickets of a strategy that are not closed yet. */
  openTickets(strategy: string): OwnedTicket[] {
    const tables = this.tables();
    return tables.tickets.open(strategy);
  }

  /** One intent of a strategy. */
  intent(strategy: string, key: string): IntentRecord | null {
    const tables = this.tables();
    return tables.intents.find(strategy, [key]);
  }

  /** Intents of a strategy whose outcome is unknown. */
  openIntents(strategy: string): IntentRecord[] {
    const tables = this.tables();
    return tables.intents.open(strategy);
  }

  /** Intents of a strategy, past ones included. */
  intents(strategy: string): IntentRecord[] {
    const tables = this.tables();
    return tables.intents.of(strategy);
  }

  /** Stacks of a strategy that may still enter something. */
  openStacks(strategy: string): StackRecord[] {
    const tables = this.tables();
    return tables.stacks.open(strategy);
  }

  /** What a strategy keeps under `trade.state`; null if it never kept anything. */
  kept(strategy: string): KeptRecord | null {
    const tables = this.tables();
    if (!tables.kept.doesExist(strategy)) return null;
    return readRecord(tables.kept, 'kept-by-strategy', strategy, keptShape);
  }

  /** What is remembered of one strategy or portfolio, for a report of what it did. */
  recordsOf(strategy: string): StrategyRecords {
    const tables = this.tables();
    return {
      record: this.strategy(strategy),
      tickets: tables.tickets.of(strategy),
      intents: this.intents(strategy),
    };
  }

  /** The whole state. */
  dump(): Dump {
    const tables = this.tables();
    const [tickets, intents, stacks] = [tables.tickets.all(), tables.intents.all(), tables.stacks.all()];
    const unreadable = [tickets, intents, stacks].flatMap((table) => table.unreadable);
    const readable = <Kind>(names: Iterable<string>, read: (name: string) => Kind | null): Kind[] =>
      [...names].flatMap((name) => {
        try {
          return read(name) ?? [];
        } catch (error) {
          unreadable.push(messageOf(error));
          return [];
        }
      });
    return {
      strategies: readable(tables.strategies.getKeys(), (name) => this.strategy(name)),
      tickets: tickets.records,
      intents: intents.records,
      stacks: stacks.records,
      kept: readable(tables.kept.getKeys(), (name) => this.kept(name)),
      unreadable,
    };
  }

  /**
   * Resolves once the change is on disk.
   * @param earlier requests from before the change; those that are known to have ended stay as they are
   * @throws StateWriteError when it is not
   */
  async write(change: Change, earlier: readonly IntentRecord[] = []): Promise<void> {
    await this.transact((tables) => {
      const intents = earlier.flatMap((one) => merged(one, tables.intents.find(one.strategy, [one.key])) ?? []);
      this.put(tables, { intents: [...intents, ...withdrawn(tables, change.unsent ?? [])] });
      this.put(tables, change);
    });
  }

  /**
   * Removes at most `limit` records that were closed before an instant; never an open one.
   * @returns how many entries were gone through; fewer than `limit` means that nothing is left to prune
   * @throws StateWriteError
   */
  async prune(beforeMs: number, limit: number): Promise<number> {
    const expired = [...this.tables().expiries.getKeys({ end: [beforeMs], limit })];
    if (expired.length === 0) return 0;
    await this.transact((tables) => {
      for (const expiry of expired) {
        const [, name, ...key] = expiry;
        void tables.expiries.remove(expiry);
        const table = [tables.tickets, tables.intents, tables.stacks].find((candidate) => candidate.name === name);
        table?.drop(key);
        const [, state, broker = '', ticket = 0] = key;
        if (table === tables.tickets && state === 'past' && !isOpen(tables, key))
          void tables.owners.remove([broker, ticket]);
      }
    });
    return expired.length;
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  private put(tables: StateTables, { strategy, tickets = [], intents = [], stacks = [], kept }: Change): void {
    if (strategy) void tables.strategies.put(strategy.name, strategy);
    if (kept) void tables.kept.put(kept.strategy, kept);
    for (const ticket of tickets) {
      void tables.owners.put([ticket.broker, ticket.ticket], ticket.strategy);
      this.expire(tables, tables.tickets.name, tables.tickets.put(ticket));
    }
    for (const intent of intents) this.expire(tables, tables.intents.name, tables.intents.put(intent));
    for (const stack of stacks) this.expire(tables, tables.stacks.name, tables.stacks.put(stack));
  }

  private expire({ expiries }: StateTables, table: string, past: Key | null): void {
    if (past !== null) void expiries.put([this.clock.nowMs(), table, ...past], 1);
  }

  private async transact(change: (tables: StateTables) => void): Promise<void> {
    try {
      await this.store.write(change);
    } catch (error) {
      throw new StateWriteError(messageOf(error), { cause: error });
    }
  }

  /** The tables as of the newest commit. */
  private tables(): StateTables {
    return this.store.read((tables) => tables);
  }
}

/** What a request is after an earlier record of it is merged; null if it stays as it is. @param known null for none */
function merged(earlier: IntentRecord, known: IntentRecord | null): IntentRecord | null {
  if (known === null) return earlier;
  if (known.state !== 'open') return null;
  // Another holder may have sent it since, so that its earlier outcome proves nothing.
  if (earlier.isOfEarlierLease === true) return { ...known, isOfEarlierLease: true };
  return earlier.state === 'open' ? null : earlier;
}

/** The ends of entries that were not sent, of those that the state has: the answer of their write was lost. */
function withdrawn({ intents }: StateTables, unsent: readonly IntentRecord[]): readonly IntentRecord[] {
  const open = [...new Set(unsent.map(({ strategy }) => strategy))].flatMap((strategy) => intents.open(strategy));
  return open
    .filter(({ key }) => unsent.some((entry) => entry.key === key))
    .map((entry) => ({ ...entry, state: 'absent', outcome: 'not sent: the state could not be written' }));
}

function isOpen({ tickets }: StateTables, [strategy = '', , ...id]: Key): boolean {
  return tickets.find(String(strategy), id)?.closed === false;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
