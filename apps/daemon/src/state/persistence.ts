import {
  type Change,
  blankRecord,
  withRealizedOn,
  type KeptRecord,
  type OwnedTicket,
  type StrategyRecord,
} from '../core/records';
import type { StrategyState } from './state-store';
import type { StrategyBook } from '../core/strategy-book';
import type { StrategyLog } from '../logs/strategy-log';
import type { StackRecord } from '../core/stack';
import { StateReadError } from './record-table';

/** Results of a strategy's writes; shown under `persistence` in its status. */
export class Persistence {
  writes = 0;
  failedWrites = 0;
  /** Null while the last write succeeded. */
  lastError: string | null;

  /** @param unreadable why the strategy's state cannot be read: it is never overwritten then */
  constructor(
    private readonly store: StrategyState,
    private readonly unreadable: string | null = null,
  ) {
    this.lastError = unreadable;
  }

  /** True if the change is on disk. A failure is counted and kept in {@link lastError}. */
  async write(change: Change): Promise<boolean> {
    try {
      if (this.unreadable !== null) throw new Error(this.unreadable);
      await this.store.write(change);
      this.writes++;
      this.lastError = null;
      return true;
    } catch (error) {
      this.failedWrites++;
      this.lastError = error instanceof Error ? error.message : String(error);
      return false;
    }
  }
}

/**
 * Changes that are not durable yet: refused by the disk, or being written. They are written with the next change, so that the disk
 * never holds a part of a state: a result without its deals would be booked twice after a restart.
 */
export class Unsaved {
  private strategy: NonNullable<Change['strategy']> | null = null;
  private readonly tickets = new Map<string, NonNullable<Change['tickets']>[number]>();
  private readonly stacks = new Map<string, NonNullable<Change['stacks']>[number]>();
  private readonly intents = new Map<string, NonNullable<Change['intents']>[number]>();
  private readonly unsent = new Map<string, NonNullable<Change['unsent']>[number]>();
  private kept: NonNullable<Change['kept']> | null = null;

  get isEmpty(): boolean {
    const { tickets, stacks, intents, unsent } = this;
    const kept = tickets.size + stacks.size + intents.size + unsent.size;
    return this.strategy === null && this.kept === null && kept === 0;
  }

  /** The change with everything that is still unsaved; its own parts win. */
  with(change: Change): Change {
    if (this.isEmpty) return change;
    this.add(change);
    return {
      ...(this.strategy ? { strategy: this.strategy } : {}),
      ...(this.kept ? { kept: this.kept } : {}),
      tickets: [...this.tickets.values()],
      stacks: [...this.stacks.values()],
      intents: [...this.intents.values(), ...(change.intents ?? []).filter(isOpen)],
      unsent: [...this.unsent.values()],
    };
  }

  /**
   * A change is about to be written. A later one is made from what it has done, and may reach the disk although this one does not:
   * until this one is durable, each later one takes it along.
   */
  begin(change: Change): void {
    this.add(change);
  }

  /**
   * A change was not written. What a later one has made durable meanwhile does not come back. A request that could not be written
   * before it was sent is not kept: it is not sent then, or written again with its outcome. Outcomes are: one that stayed open on
   * disk would be found out, and done with, a second time. So would an entry that is not sent, if the write was made and its answer
   * lost.
   */
  refused(change: Change): void {
    for (const intent of change.intents ?? []) {
      if (isOpen(intent) && intent.isEntry) this.unsent.set(intent.key, intent);
    }
  }

  private add({ strategy, tickets, stacks, intents, kept }: Change): void {
    this.strategy = strategy ?? this.strategy;
    this.kept = kept ?? this.kept;
    for (const ticket of tickets ?? []) this.tickets.set(`${ticket.broker}:${ticket.ticket}`, ticket);
    for (const stack of stacks ?? []) this.stacks.set(stack.id, stack);
    for (const intent of intents ?? []) if (!isOpen(intent)) this.intents.set(intent.key, intent);
  }

  /** Drops what is durable now; changes that failed in the meantime stay. */
  saved({ strategy, tickets, stacks, intents, unsent, kept }: Change): void {
    if (this.strategy === strategy) this.strategy = null;
    if (this.kept === kept) this.kept = null;
    for (const ticket of tickets ?? []) {
      const key = `${ticket.broker}:${ticket.ticket}`;
      if (this.tickets.get(key) === ticket) this.tickets.delete(key);
    }
    for (const stack of stacks ?? []) if (this.stacks.get(stack.id) === stack) this.stacks.delete(stack.id);
    for (const intent of intents ?? []) {
      if (this.intents.get(intent.key) === intent) this.intents.delete(intent.key);
    }
    for (const { key } of unsent ?? []) this.unsent.delete(key);
  }
}

function isOpen({ state }: NonNullable<Change['intents']>[number]): boolean {
  return state === 'open';
}

/** The state of one strategy on disk. */
export class DurableState {
  private readonly unsaved = new Unsaved();

  constructor(
    private readonly book: StrategyBook,
    readonly persistence: Persistence,
    private readonly log: StrategyLog,
  ) {}

  /** Makes a change durable that the book has applied. @returns false if it is not durable */
  async write(change: Change): Promise<boolean> {
    const { book, persistence, unsaved } = this;
    const { strategy, ...rest } = change;
    const whole = unsaved.with(strategy ? { ...rest, strategy: book.record } : rest);
    unsaved.begin(whole);
    const isDurable = await persistence.write(whole);
    if (isDurable) unsaved.saved(whole);
    else {
      unsaved.refused(whole);
      this.log.error('the state could not be written', { error: persistence.lastError });
    }
    return isDurable;
  }
}

/** Stored state of a strategy or portfolio at a start. */
interface Remembered {
  readonly record: StrategyRecord;
  readonly tickets: readonly OwnedTicket[];
  readonly stacks: readonly StackRecord[];
  /** Null if it never kept anything. */
  readonly kept: KeptRecord | null;
  /** Why its state cannot be read, so that it must not run; null when it can. The rest is blank then. */
  readonly unreadable: string | null;
}

/** Reads the whole state of a strategy, so that unreadable records are found before it starts. */
export function remembered(store: StrategyState, name: string, brokers: readonly string[]): Remembered {
  try {
    const record = withRealizedOn(store.strategy(name) ?? blankRecord(name), brokers);
    // With an open exit, a start reads the past ones as well: one of them may have superseded it.
    if (store.openIntents(name).some(({ isEntry }) => !isEntry)) store.intents(name);
    const [tickets, stacks, kept] = [store.openTickets(name), store.openStacks(name), store.kept(name)];
    return { record, tickets, stacks, kept, unreadable: null };
  } catch (error) {
    if (!(error instanceof StateReadError)) throw error;
    return { record: blankRecord(name), tickets: [], stacks: [], kept: null, unreadable: error.message };
  }
}
