import type { StackRecord } from '../core/stack';
import { StateReadError } from './record-table';
import { blankRecord, withRealizedOn, type OwnedTicket, type StrategyRecord } from './records';
import type { StateStore } from './state-store';

/** What a start finds of a strategy or portfolio. */
export interface Remembered {
  readonly record: StrategyRecord;
  readonly tickets: readonly OwnedTicket[];
  readonly stacks: readonly StackRecord[];
  /** Why its state cannot be read, so that it must not run; null when it can. The rest is blank then. */
  readonly unreadable: string | null;
}

/** Reads everything a strategy needs to go on, so that what cannot be read is known before it starts. */
export function remembered(store: StateStore, name: string, brokers: readonly string[]): Remembered {
  try {
    const record = withRealizedOn(store.strategy(name) ?? blankRecord(name), brokers);
    store.openIntents(name);
    return { record, tickets: store.openTickets(name), stacks: store.openStacks(name), unreadable: null };
  } catch (error) {
    if (!(error instanceof StateReadError)) throw error;
    return { record: blankRecord(name), tickets: [], stacks: [], unreadable: error.message };
  }
}
