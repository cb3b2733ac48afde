import type { Change } from './state-store';

/**
 * What could not be made durable yet. It goes along with the next change, so that a disk that comes back holds a whole
 * state again: a result without the deals it came from would be booked twice after a restart.
 */
export class Unsaved {
  private strategy: NonNullable<Change['strategy']> | null = null;
  private readonly tickets = new Map<string, NonNullable<Change['tickets']>[number]>();
  private readonly stacks = new Map<string, NonNullable<Change['stacks']>[number]>();

  get isEmpty(): boolean {
    return this.strategy === null && this.tickets.size === 0 && this.stacks.size === 0;
  }

  /** The change with everything that is still unsaved; its own parts win. */
  with(change: Change): Change {
    if (this.isEmpty) return change;
    this.keep({ ...change, intents: [] });
    return {
      ...(this.strategy ? { strategy: this.strategy } : {}),
      tickets: [...this.tickets.values()],
      stacks: [...this.stacks.values()],
      intents: change.intents ?? [],
    };
  }

  /** A request that is not on disk is either not sent, or written again with its outcome: only the rest is kept. */
  keep({ strategy, tickets, stacks }: Change): void {
    this.strategy = strategy ?? this.strategy;
    for (const ticket of tickets ?? []) this.tickets.set(`${ticket.broker}:${ticket.ticket}`, ticket);
    for (const stack of stacks ?? []) this.stacks.set(stack.id, stack);
  }

  /** Forgets what is durable now; what came to be unsaved in the meantime stays. */
  saved({ strategy, tickets, stacks }: Change): void {
    if (this.strategy === strategy) this.strategy = null;
    for (const ticket of tickets ?? []) {
      const key = `${ticket.broker}:${ticket.ticket}`;
      if (this.tickets.get(key) === ticket) this.tickets.delete(key);
    }
    for (const stack of stacks ?? []) if (this.stacks.get(stack.id) === stack) this.stacks.delete(stack.id);
  }
}
