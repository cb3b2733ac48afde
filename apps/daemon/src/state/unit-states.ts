import type { Change, IntentRecord, KeptRecord, OwnedTicket, StrategyRecord } from '../core/records';
import type { StackRecord } from '../core/stack';
import { StateReadError } from './record-table';
import {
  StateWriteError,
  type DaemonState,
  type Dump,
  type StateStore,
  type StrategyRecords,
  type StrategyState,
} from './state-store';

/** The states of the units that run here, each in tables of its own, as one state. */
export class UnitStates implements DaemonState {
  private readonly stores = new Map<string, StateStore>();

  /** @param configured names of all strategies and portfolios of the fleet, also of those on other hosts */
  constructor(private readonly configured: () => readonly string[]) {}

  /** Adds the state of a unit that is about to run here. */
  add(unit: string, store: StateStore): void {
    this.stores.set(unit, store);
  }

  /** Closes the state of a unit that no longer runs here. */
  async remove(unit: string): Promise<void> {
    const store = this.stores.get(unit);
    this.stores.delete(unit);
    await store?.close();
  }

  /**
   * The state for the strategies of a unit, as long as the unit stays here: when it has left, also if it has come back under
   * another lease, they read and write nothing with it. @throws StateReadError when the unit does not run here
   */
  of(unit: string): StrategyState {
    const store = this.storeOf(unit);
    return {
      strategy: (name) => store.strategy(name),
      openTickets: (name) => store.openTickets(name),
      openIntents: (name) => store.openIntents(name),
      openStacks: (name) => store.openStacks(name),
      kept: (name) => store.kept(name),
      // A ticket may be of a strategy of another unit.
      ticket: (broker, ticket) => this.ticket(broker, ticket),
      write: (change) => store.write(change),
    };
  }

  strategy(name: string): StrategyRecord | null {
    return this.storeOf(name).strategy(name);
  }

  /** Those that run elsewhere are named as well: a read of them is an error, and not a strategy without results. */
  strategyNames(): string[] {
    const here = this.all.flatMap((store) => store.strategyNames());
    return [...new Set([...here, ...this.configured()])];
  }

  ticket(broker: string, ticket: number): OwnedTicket | null {
    return this.first((store) => store.ticket(broker, ticket));
  }

  ownerOf(broker: string, ticket: number): string | null {
    return this.first((store) => store.ownerOf(broker, ticket));
  }

  openTickets(strategy: string): OwnedTicket[] {
    return this.storeOf(strategy).openTickets(strategy);
  }

  openIntents(strategy: string): IntentRecord[] {
    return this.storeOf(strategy).openIntents(strategy);
  }

  openStacks(strategy: string): StackRecord[] {
    return this.storeOf(strategy).openStacks(strategy);
  }

  kept(strategy: string): KeptRecord | null {
    return this.storeOf(strategy).kept(strategy);
  }

  recordsOf(strategy: string): StrategyRecords {
    return this.storeOf(strategy).recordsOf(strategy);
  }

  /** Of the units that run here. */
  dump(): Dump {
    const dumps = this.all.map((store) => store.dump());
    return {
      strategies: dumps.flatMap(({ strategies }) => strategies),
      tickets: dumps.flatMap(({ tickets }) => tickets),
      intents: dumps.flatMap(({ intents }) => intents),
      stacks: dumps.flatMap(({ stacks }) => stacks),
      kept: dumps.flatMap(({ kept }) => kept),
      unreadable: dumps.flatMap(({ unreadable }) => unreadable),
    };
  }

  /** A change is of one strategy. @throws StateWriteError, also when the strategy no longer runs here */
  async write(change: Change): Promise<void> {
    const name = strategyOf(change);
    if (name === null) return;
    const store = this.stores.get(unitName(name));
    if (!store) throw new StateWriteError(`${name} does not run on this host`);
    await store.write(change);
  }

  async prune(beforeMs: number, limit: number): Promise<number> {
    let pruned = 0;
    for (const store of this.all) if (pruned < limit) pruned += await store.prune(beforeMs, limit - pruned);
    return pruned;
  }

  async close(): Promise<void> {
    for (const unit of [...this.stores.keys()]) await this.remove(unit);
  }

  private get all(): readonly StateStore[] {
    return [...this.stores.values()];
  }

  private first<Found>(find: (store: StateStore) => Found | null): Found | null {
    for (const store of this.all) {
      const found = find(store);
      if (found !== null) return found;
    }
    return null;
  }

  private storeOf(name: string): StateStore {
    const store = this.stores.get(unitName(name));
    if (!store) throw new StateReadError('strategies', name, 'does not run on this host');
    return store;
  }
}

/** A child of a portfolio is named `portfolio/child`. */
function unitName(strategy: string): string {
  return strategy.split('/', 1)[0] ?? strategy;
}

function strategyOf({ strategy, kept, tickets = [], intents = [], stacks = [] }: Change): string | null {
  const [first] = [...tickets, ...intents, ...stacks, ...(kept ? [kept] : [])];
  return strategy?.name ?? first?.strategy ?? null;
}
