import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SystemClock, type Clock } from '@libs/clock';
import { open, type Database, type RootDatabase } from 'lmdb';
import type { StackRecord } from '../trading/stack';
import { FirstLayout } from './first-layout';
import { intentShape, stackShape, strategyShape, ticketShape } from './record-shapes';
import { readRecord, RecordTable, type Key } from './record-table';
import type { IntentRecord, OwnedTicket, StrategyRecord } from './records';
import { requireSpace, stateFileProblem } from './state-file';

/** What one event changes; all of it becomes durable, or nothing. */
export interface Change {
  readonly strategy?: StrategyRecord;
  readonly tickets?: readonly OwnedTicket[];
  readonly intents?: readonly IntentRecord[];
  readonly stacks?: readonly StackRecord[];
}

/** Everything that is remembered; `unreadable` says what is wrong with the rest. */
export interface Dump {
  readonly strategies: readonly StrategyRecord[];
  readonly tickets: readonly OwnedTicket[];
  readonly intents: readonly IntentRecord[];
  readonly stacks: readonly StackRecord[];
  readonly unreadable: readonly string[];
}

/** The state could not be made durable. */
export class StateWriteError extends Error {}

/** The state directory cannot be used; nothing in it was changed. */
export class StateOpenError extends Error {}

/** The daemon's durable memory: an LMDB environment in the state directory. */
export class StateStore {
  private readonly strategies: Database<StrategyRecord, string>;
  private readonly tickets: RecordTable<OwnedTicket>;
  private readonly intents: RecordTable<IntentRecord>;
  private readonly stacks: RecordTable<StackRecord>;
  /** Which strategy a ticket belongs to, by its gateway. */
  private readonly owners: Database<string, Key>;
  /** Past records by the time they became so: time, table, key. */
  private readonly expiries: Database<number, Key>;
  private readonly firstLayout: FirstLayout;

  private constructor(
    private readonly root: RootDatabase,
    private readonly clock: Clock,
  ) {
    const json = { encoding: 'json' } as const;
    this.strategies = root.openDB({ name: 'strategies', ...json });
    this.tickets = new RecordTable(root, {
      ...{ name: 'tickets-by-strategy', shape: ticketShape },
      idOf: ({ broker, ticket }) => [broker, ticket],
      isOpen: ({ closed }) => !closed,
    });
    this.intents = new RecordTable(root, {
      ...{ name: 'intents-by-strategy', shape: intentShape },
      idOf: ({ key }) => [key],
      isOpen: ({ state }) => state === 'open',
    });
    this.stacks = new RecordTable(root, {
      ...{ name: 'stacks-by-strategy', shape: stackShape },
      idOf: ({ id }) => [id],
      isOpen: ({ over }) => !over,
    });
    this.owners = root.openDB({ name: 'owners', ...json });
    this.expiries = root.openDB({ name: 'expiries', ...json });
    this.firstLayout = new FirstLayout(root);
  }

  /**
   * Opens the state in a directory of which the caller holds the lock, and takes over what an earlier version left.
   * @throws StateOpenError
   */
  static open(stateDir: string, clock: Clock = new SystemClock()): StateStore {
    const store = StateStore.opened(stateDir, clock);
    try {
      store.takeOver();
      return store;
    } catch (error) {
      void store.close();
      throw new StateOpenError(`the state in ${stateDir} cannot be taken over: ${messageOf(error)}`);
    }
  }

  /** Opens the state for looking at it only, also while a daemon runs on it. @throws StateOpenError */
  static look(stateDir: string): Pick<StateStore, 'dump' | 'close'> {
    return StateStore.opened(stateDir, new SystemClock());
  }

  private static opened(stateDir: string, clock: Clock): StateStore {
    const path = join(stateDir, 'state.lmdb');
    try {
      mkdirSync(stateDir, { recursive: true, mode: 0o700 });
      const problem = stateFileProblem(path);
      if (problem !== null) throw new Error(problem);
      requireSpace(path);
      // Without overlapping sync a write resolves only when its commit has been flushed; without turn batching no
      // promise of LMDB's own rejects unheard when the disk is full, which would end the process.
      const options = { noSubdir: true, overlappingSync: false, eventTurnBatching: false } as const;
      return new StateStore(open({ path, maxDbs: 16, ...options }), clock);
    } catch (error) {
      throw new StateOpenError(`the state in ${path} cannot be opened: ${messageOf(error)}`);
    }
  }

  /** @throws StateReadError, as everything here that reads */
  strategy(name: string): StrategyRecord | null {
    this.freshen();
    if (!this.strategies.doesExist(name)) return null;
    return readRecord(this.strategies, 'strategies', name, strategyShape);
  }

  /** Names of everything that ever kept a record, portfolios included. */
  strategyNames(): string[] {
    this.freshen();
    return [...this.strategies.getKeys()];
  }

  /** A ticket, whosever it is. */
  ticket(broker: string, ticket: number): OwnedTicket | null {
    this.freshen();
    const owner = this.owners.get([broker, ticket]);
    return owner === undefined ? null : this.tickets.find(owner, [broker, ticket]);
  }

  /** The strategy a ticket belongs to, or belonged to; null for one that is nobody's. Reads no record. */
  ownerOf(broker: string, ticket: number): string | null {
    this.freshen();
    return this.owners.get([broker, ticket]) ?? null;
  }

  /** Tickets of a strategy that are not closed yet. */
  openTickets(strategy: string): OwnedTicket[] {
    this.freshen();
    return this.tickets.open(strategy);
  }

  /** Intents of a strategy whose outcome nobody knows yet. */
  openIntents(strategy: string): IntentRecord[] {
    this.freshen();
    return this.intents.open(strategy);
  }

  /** Stacks of a strategy that may still enter something. */
  openStacks(strategy: string): StackRecord[] {
    this.freshen();
    return this.stacks.open(strategy);
  }

  /** Everything, as it stands. */
  dump(): Dump {
    this.freshen();
    const [tickets, intents, stacks] = [this.tickets.all(), this.intents.all(), this.stacks.all()];
    const earlier = this.firstLayout.all();
    const strategies: StrategyRecord[] = [];
    const unreadable = [tickets, intents, stacks].flatMap((table) => table.unreadable);
    for (const name of this.strategies.getKeys()) {
      try {
        strategies.push(readRecord(this.strategies, 'strategies', name, strategyShape));
      } catch (error) {
        unreadable.push(messageOf(error));
      }
    }
    return {
      strategies,
      tickets: [...tickets.records, ...earlier.tickets.map(([, ticket]) => ticket)],
      intents: [...intents.records, ...earlier.intents.map(([, intent]) => intent)],
      stacks: [...stacks.records, ...earlier.stacks.map(([, stack]) => stack)],
      unreadable,
    };
  }

  /** Resolves once the change is on disk. @throws StateWriteError when it is not */
  async write(change: Change): Promise<void> {
    await this.transact(() => this.put(change));
  }

  /**
   * Removes past records that became so before an instant, at most `limit` of them; never an open one.
   * @returns how many entries were gone through; fewer than `limit` means that nothing is left to prune
   * @throws StateWriteError
   */
  async prune(beforeMs: number, limit: number): Promise<number> {
    this.freshen();
    const expired = [...this.expiries.getKeys({ end: [beforeMs], limit })];
    if (expired.length === 0) return 0;
    await this.transact(() => {
      for (const expiry of expired) {
        const [, name, ...key] = expiry;
        void this.expiries.remove(expiry);
        const table = [this.tickets, this.intents, this.stacks].find((candidate) => candidate.name === name);
        table?.drop(key);
        const [, state, broker = '', ticket = 0] = key;
        if (table === this.tickets && state === 'past' && !this.isOpen(key)) void this.owners.remove([broker, ticket]);
      }
    });
    return expired.length;
  }

  async close(): Promise<void> {
    // A last write that failed has been reported to whoever asked for it.
    await Promise.resolve(this.root.committed).catch(hearReason);
    await this.root.close();
  }

  private isOpen([strategy = '', , ...id]: Key): boolean {
    return this.tickets.find(String(strategy), id)?.closed === false;
  }

  private put({ strategy, tickets = [], intents = [], stacks = [] }: Change): void {
    if (strategy) void this.strategies.put(strategy.name, strategy);
    for (const ticket of tickets) {
      this.own(ticket);
      this.expire(this.tickets.name, this.tickets.put(ticket));
    }
    for (const intent of intents) this.expire(this.intents.name, this.intents.put(intent));
    for (const stack of stacks) this.expire(this.stacks.name, this.stacks.put(stack));
  }

  private takeOver(): void {
    if (this.firstLayout.isEmpty) return;
    this.root.transactionSync(() => {
      const { tickets, intents, stacks } = this.firstLayout.all();
      for (const [key, ticket] of tickets) {
        this.own(ticket);
        this.expire(this.tickets.name, this.tickets.takeOver(key, ticket));
      }
      for (const [key, intent] of intents) this.expire(this.intents.name, this.intents.takeOver(key, intent));
      for (const [key, stack] of stacks) this.expire(this.stacks.name, this.stacks.takeOver(key, stack));
      this.firstLayout.clear();
    });
  }

  private own({ strategy, broker, ticket }: OwnedTicket): void {
    if (typeof broker === 'string' && typeof ticket === 'number') void this.owners.put([broker, ticket], strategy);
  }

  private expire(table: string, past: Key | null): void {
    if (past !== null) void this.expiries.put([this.clock.nowMs(), table, ...past], 1);
  }

  private async transact(change: () => void): Promise<void> {
    try {
      // A plain transaction would keep what a change had put before the part of it that cannot be.
      await this.root.childTransaction(change);
    } catch (error) {
      hearReason(error);
      throw new StateWriteError(messageOf(error));
    }
  }

  /** Reads would otherwise keep the snapshot of their event turn and miss a commit that was awaited in it. */
  private freshen(): void {
    this.root.resetReadTxn();
  }
}

/** LMDB tells why a commit failed by a promise on its error, which would end the process if nobody listened. */
function hearReason(error: unknown): void {
  if (!(error instanceof Error) || !('commitError' in error) || !(error.commitError instanceof Promise)) return;
  error.commitError.catch(() => undefined);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
