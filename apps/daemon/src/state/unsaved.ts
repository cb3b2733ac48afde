import type { Change } from '../core/records';

/**
 * Changes that are not durable yet. They are written with the next change, so that the disk again holds a complete
 * state: a result without its deals would be booked twice after a restart.
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
   * A request that could not be written before it was sent is not kept: it is not sent then, or written again with its
   * outcome. Outcomes are: one that stayed open on disk would be found out, and done with, a second time. So would an entry
   * that is not sent, if the write was made and its answer lost.
   */
  keep(change: Change): void {
    this.add(change);
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
