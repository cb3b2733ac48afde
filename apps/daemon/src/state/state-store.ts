import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, type Database, type RootDatabase } from 'lmdb';
import type { StackRecord } from '../trading/stack';
import type { IntentRecord, OwnedTicket, StrategyRecord } from './records';

/** What one event changes; all of it becomes durable, or nothing. */
export interface Change {
  readonly strategy?: StrategyRecord;
  readonly tickets?: readonly OwnedTicket[];
  readonly intents?: readonly IntentRecord[];
  readonly stacks?: readonly StackRecord[];
}

/** The state could not be made durable. */
export class StateWriteError extends Error {}

/** The daemon's durable memory: an LMDB environment in the state directory. */
export class StateStore {
  private readonly strategies: Database<StrategyRecord, string>;
  private readonly tickets: Database<OwnedTicket, string>;
  private readonly intents: Database<IntentRecord, string>;

  private readonly stacks: Database<StackRecord, string>;

  private constructor(private readonly root: RootDatabase) {
    this.strategies = root.openDB({ name: 'strategies', encoding: 'json' });
    this.tickets = root.openDB({ name: 'tickets', encoding: 'json' });
    this.intents = root.openDB({ name: 'intents', encoding: 'json' });
    this.stacks = root.openDB({ name: 'stacks', encoding: 'json' });
  }

  static open(stateDir: string): StateStore {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    return new StateStore(open({ path: join(stateDir, 'state.lmdb'), maxDbs: 8 }));
  }

  strategy(name: string): StrategyRecord | null {
    return this.strategies.get(name) ?? null;
  }

  ticket(broker: string, ticket: number): OwnedTicket | null {
    return this.tickets.get(ticketKey(broker, ticket)) ?? null;
  }

  /** Tickets of a strategy that are not closed yet. */
  openTickets(strategy: string): OwnedTicket[] {
    return [...this.tickets.getRange()]
      .map(({ value }) => value)
      .filter((ticket) => ticket.strategy === strategy && !ticket.closed);
  }

  /** Intents of a strategy whose outcome nobody knows yet. */
  openIntents(strategy: string): IntentRecord[] {
    return [...this.intents.getRange()]
      .map(({ value }) => value)
      .filter((intent) => intent.strategy === strategy && intent.state === 'open');
  }

  /** Stacks of a strategy that may still enter something. */
  openStacks(strategy: string): StackRecord[] {
    return [...this.stacks.getRange()]
      .map(({ value }) => value)
      .filter((stack) => stack.strategy === strategy && !stack.over);
  }

  /** Everything, as it stands. */
  dump(): { strategies: StrategyRecord[]; tickets: OwnedTicket[]; intents: IntentRecord[]; stacks: StackRecord[] } {
    const all = <T>(database: Database<T, string>): T[] => [...database.getRange()].map(({ value }) => value);
    return {
      strategies: all(this.strategies),
      tickets: all(this.tickets),
      intents: all(this.intents),
      stacks: all(this.stacks),
    };
  }

  /** Resolves once the change is on disk. @throws StateWriteError when it is not */
  async write(change: Change): Promise<void> {
    try {
      await this.root.transaction(() => {
        if (change.strategy) void this.strategies.put(change.strategy.name, change.strategy);
        for (const ticket of change.tickets ?? [])
          void this.tickets.put(ticketKey(ticket.broker, ticket.ticket), ticket);
        for (const intent of change.intents ?? []) void this.intents.put(intent.key, intent);
        for (const stack of change.stacks ?? []) void this.stacks.put(stack.id, stack);
      });
      await this.root.flushed;
    } catch (error) {
      throw new StateWriteError(error instanceof Error ? error.message : String(error));
    }
  }

  async close(): Promise<void> {
    await this.root.close();
  }
}

function ticketKey(broker: string, ticket: number): string {
  return `${broker}:${ticket}`;
}
