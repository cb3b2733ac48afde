import type { Change, IntentRecord, KeptRecord, OwnedTicket, StrategyRecord } from '../core/records';
import type { StackRecord } from '../core/stack';
import type { ExitJournal, ExitRecord } from './exit-journal';
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
  private readonly states = new Map<string, UnitState>();
  private exits: ExitJournal | null = null;

  /** @param configured names of all strategies and portfolios of the fleet, also of those on other hosts */
  constructor(private readonly configured: () => readonly string[]) {}

  /** Has exits kept on this host while the database cannot be written. */
  keepExits(exits: ExitJournal): void {
    this.exits = exits;
  }

  /** Exits on this host that are not in the database yet. */
  get keptExits(): number {
    return this.exits?.count ?? 0;
  }

  /**
   * The state of a unit that is about to run here, with the exits that this host has sent and could not write.
   * @param token of the lease that it is written under
   * @throws StateWriteError when they cannot be merged; the store is closed then
   */
  async prepare(unit: string, token: number, store: StateStore): Promise<UnitState> {
    const state = new UnitState({ unit, token, store, exits: this.exits });
    try {
      await state.merge();
      return state;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** Adds the state of a unit that is about to run here. */
  add(state: UnitState): void {
    this.states.set(state.unit, state);
  }

  /** Closes the state of a unit that no longer runs here. */
  async remove(unit: string): Promise<void> {
    const state = this.states.get(unit);
    this.states.delete(unit);
    await state?.store.close();
  }

  /**
   * The state for the strategies of a unit, as long as the unit stays here: when it has left, also if it has come back under
   * another lease, they read and write nothing with it. @throws StateReadError when the unit does not run here
   */
  of(unit: string): StrategyState {
    const state = this.stateOf(unit);
    const { store } = state;
    return {
      strategy: (name) => store.strategy(name),
      openTickets: (name) => store.openTickets(name),
      openIntents: (name) => store.openIntents(name),
      intents: (name) => store.intents(name),
      openStacks: (name) => store.openStacks(name),
      kept: (name) => store.kept(name),
      recordsOf: (name) => store.recordsOf(name),
      // A ticket may be of a strategy of another unit.
      ticket: (broker, ticket) => this.ticket(broker, ticket),
      write: (change) => state.write(change),
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

  intent(strategy: string, key: string): IntentRecord | null {
    return this.storeOf(strategy).intent(strategy, key);
  }

  openIntents(strategy: string): IntentRecord[] {
    return this.storeOf(strategy).openIntents(strategy);
  }

  intents(strategy: string): IntentRecord[] {
    return this.storeOf(strategy).intents(strategy);
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
    const state = this.states.get(unitName(name));
    if (!state) throw new StateWriteError(`${name} does not run on this host`);
    await state.write(change);
  }

  async prune(beforeMs: number, limit: number): Promise<number> {
    let pruned = 0;
    for (const store of this.all) if (pruned < limit) pruned += await store.prune(beforeMs, limit - pruned);
    return pruned;
  }

  async close(): Promise<void> {
    for (const unit of [...this.states.keys()]) await this.remove(unit);
    const { exits } = this;
    this.exits = null;
    await exits?.close();
  }

  private get all(): readonly StateStore[] {
    return [...this.states.values()].map(({ store }) => store);
  }

  private first<Found>(find: (store: StateStore) => Found | null): Found | null {
    for (const store of this.all) {
      const found = find(store);
      if (found !== null) return found;
    }
    return null;
  }

  private storeOf(name: string): StateStore {
    return this.stateOf(name).store;
  }

  private stateOf(name: string): UnitState {
    const state = this.states.get(unitName(name));
    if (!state) throw new StateReadError('strategy', name, 'does not run on this host');
    return state;
  }
}

/** A child of a portfolio is named `portfolio/child`. */
export function unitName(strategy: string): string {
  return strategy.split('/', 1)[0] ?? strategy;
}

function strategyOf({ strategy, kept, tickets = [], intents = [], stacks = [] }: Change): string | null {
  const [first] = [...tickets, ...intents, ...stacks, ...(kept ? [kept] : [])];
  return strategy?.name ?? first?.strategy ?? null;
}

interface UnitStateOptions {
  readonly unit: string;
  /** Of the lease that the state is written under. */
  readonly token: number;
  readonly store: StateStore;
  /** Exits of this host that the database did not take; null: none are kept. */
  readonly exits: ExitJournal | null;
}

/** The state of a unit under one lease. Exits that the database does not take are kept on this host, and are merged first. */
export class UnitState {
  constructor(private readonly options: UnitStateOptions) {}

  get unit(): string {
    return this.options.unit;
  }

  get store(): StateStore {
    return this.options.store;
  }

  /** Writes the exits that are kept on this host. @throws StateWriteError, also when one of them cannot be read */
  async merge(): Promise<void> {
    const kept = this.kept();
    if (kept.length > 0) await this.writeAfter(kept, {});
  }

  /** Writes a change after the exits that are kept. @throws StateWriteError; exits of the change are kept then */
  async write(change: Change): Promise<void> {
    const { unit, store, exits } = this.options;
    try {
      // While the unit runs, an exit that cannot be read or merged stops no write.
      const kept = exits?.mergeable(unit, ({ strategy, key }) => void store.intent(strategy, key)) ?? [];
      await this.writeAfter(kept, change);
    } catch (error) {
      // Also under a lost lease: its exits are sent, and a gateway may take them until the next holder has raised the fence.
      await this.keep(change, error);
      throw error;
    }
  }

  private async writeAfter(kept: readonly ExitRecord[], change: Change): Promise<void> {
    const { unit, store, exits } = this.options;
    // The state may have removed an outdated one, which must not come back.
    const current = kept.filter((exit) => exits?.isOutdated(exit) === false);
    await store.write(
      change,
      current.map((exit) => this.requestOf(exit)),
    );
    // What stays behind is known to the state at the next merge.
    await exits?.merged(unit, kept).catch(() => undefined);
  }

  /** The exit is sent also if no disk takes it: a position that cannot be closed is worse. */
  private async keep(change: Change, problem: unknown): Promise<void> {
    const { unit, token, exits } = this.options;
    await exits?.keep(unit, token, change).catch((error: unknown) => {
      throw new StateWriteError(
        `${messageOf(problem)}; the exit could not be written on this host either: ${messageOf(error)}`,
        {
          cause: problem,
        },
      );
    });
  }

  /** Since an earlier lease, another host may have managed the position of the exit. */
  private requestOf({ token, intent }: ExitRecord): IntentRecord {
    return token === this.options.token ? intent : { ...intent, isOfEarlierLease: true };
  }

  private kept(): readonly ExitRecord[] {
    const { unit, exits } = this.options;
    try {
      return exits?.of(unit) ?? [];
    } catch (error) {
      throw new StateWriteError(messageOf(error), { cause: error });
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
