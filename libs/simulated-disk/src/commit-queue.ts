import { LoggedChanges, StoreWriteError, type ChangeLog, type EntryChange } from '@libs/store';
import type { Machine } from './machine';

interface Pending {
  readonly change: () => void;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** The disk under a queue of commits. */
export interface CommitTarget {
  apply(changes: readonly EntryChange[]): void;
  /** Makes changes durable, or throws why they are not: then none of them was made. */
  commit(changes: readonly EntryChange[]): void;
}

/** Why a commit failed, as LMDB reports it. */
export class CommitError extends Error {}

/**
 * Changes in their order. Those that come while nothing is being committed, or while one commit is under way, share the
 * next one. A change runs when its commit begins, not when it is asked for; reads see it once it is on disk.
 */
export class CommitQueue {
  private waiting: Pending[] = [];
  private working: Promise<void> | null = null;
  private transaction: LoggedChanges | null = null;

  constructor(
    private readonly machine: Machine,
    private readonly target: CommitTarget,
  ) {}

  /** The log of the change that runs now. @throws Error outside of one */
  get log(): ChangeLog {
    if (!this.transaction) throw new Error('a table can be changed only within a write');
    return this.transaction;
  }

  /** Resolves when the change is on disk. @throws whatever the change throws, CommitError */
  add(change: () => void): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ change, done, failed });
      this.working ??= this.work();
    });
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    await this.working;
  }

  private async work(): Promise<void> {
    while (this.waiting.length > 0) {
      // The current turn ends first, so that all its requests are sent together.
      await this.machine.perform(0, nothing, nothing);
      await this.commitBatch(this.waiting.splice(0));
    }
    this.working = null;
  }

  private async commitBatch(batch: readonly Pending[]): Promise<void> {
    const transaction = new LoggedChanges();
    const outcomes = batch.map((pending) => ({ pending, error: this.attempt(pending.change, transaction) }));
    this.target.apply([...transaction.befores].reverse());
    const { afters } = transaction;
    const inCrash = (random: () => number): void => {
      // A commit that a crash cuts short is on the disk as a whole, or not at all.
      if (random() < 0.5) this.target.apply(afters);
    };
    const failure = await this.machine.perform(this.machine.pace().commitMs, () => this.failureOf(afters), inCrash);
    for (const { pending, error } of outcomes) {
      if (failure !== null) pending.failed(failure);
      else if (error !== null) pending.failed(error.thrown);
      else pending.done();
    }
  }

  private failureOf(changes: readonly EntryChange[]): CommitError | null {
    try {
      this.target.commit(changes);
      return null;
    } catch (error) {
      if (error instanceof CommitError) return error;
      throw error;
    }
  }

  /** Runs one change; undoes what it did when it throws. */
  private attempt(change: () => void, whole: LoggedChanges): { readonly thrown: unknown } | null {
    const own = new LoggedChanges();
    try {
      this.run(change, own);
    } catch (thrown) {
      return { thrown };
    }
    whole.befores.push(...own.befores);
    whole.afters.push(...own.afters);
    return null;
  }

  private run(change: () => void, transaction: LoggedChanges): void {
    this.transaction = transaction;
    try {
      change();
    } catch (error) {
      this.target.apply([...transaction.befores].reverse());
      throw error;
    } finally {
      this.transaction = null;
    }
  }
}

/** As a store reports that a change is not on disk. */
export function writeErrorOf(error: unknown): StoreWriteError {
  return new StoreWriteError(error instanceof Error ? error.message : String(error), { cause: error });
}

function nothing(): void {
  return;
}
