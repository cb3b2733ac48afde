import type { StackRecord } from '../core/stack';
import { StateReadError } from './record-table';
import { blankRecord, withRealizedOn, type KeptRecord, type OwnedTicket, type StrategyRecord } from '../core/records';
import type { StrategyState } from './state-store';

/** Stored state of a strategy or portfolio at a start. */
export interface Remembered {
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
