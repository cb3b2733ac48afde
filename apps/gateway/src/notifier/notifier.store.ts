import type { Store, StoreCondition, StoreEngine, Table, TableSource } from '@libs/store';
import type { Notification } from './notification';

/** Place of a message in the queue of its channel. */
export type QueueKey = [channel: string, number: number];

export interface Queued {
  readonly key: QueueKey;
  readonly message: Notification;
  /** It was set aside before, and an operator sends it again. */
  readonly isRetried: boolean;
}

/** A message in its queue. */
type QueueRow = Notification & { readonly retried?: true };

/** A message that its receiver refused for good. */
export interface SetAside {
  readonly message: Notification;
  /** Why it was refused, and when for the last time, UTC. */
  readonly reason: string;
  readonly refusedAt: string;
}

interface AsideRow {
  readonly key: QueueKey;
  readonly value: SetAside;
}

interface NotifierTables {
  readonly queue: Table<QueueRow, QueueKey>;
  /** Number of the last trade event that is in the queue of a channel, or that it does not want, by channel. */
  readonly cursors: Table<number, string>;
  readonly facts: Table<unknown, string>;
  readonly aside: Table<SetAside, QueueKey>;
}

function notifierTables(source: TableSource): NotifierTables {
  return {
    queue: source.table('queue'),
    cursors: source.table('cursors'),
    facts: source.table('facts'),
    aside: source.table('aside'),
  };
}

const nextKey = 'next';
/** Room on a full disk for the messages that report it, and for removals. */
const reserveBytes = 1024 * 1024;

/** Messages for one channel, and the number of the last trade event that is accounted for. */
export interface Intake {
  readonly channel: string;
  readonly messages: readonly QueueRow[];
  readonly cursor?: number;
}

/**
 * What has to be delivered, on disk: an LMDB environment of its own. A message and the cursor, or the memory of the rule
 * that it comes from, are written in one commit; a message is removed when its receiver has taken it.
 */
export class NotifierStore {
  private readonly store: Store<NotifierTables>;
  private next: number;
  private readonly counts = new Map<string, number>();
  /** Changes of messages that were set aside, one after the other. */
  private changing: Promise<unknown> = Promise.resolve();

  /** @throws StoreOpenError */
  constructor(stores: StoreEngine, directory: string) {
    const options = { name: 'the queue of notifications', path: directory, layout: 'folder' } as const;
    this.store = stores.open({ ...options, maxTables: 4, reserveBytes, copyWhenUnwritable: true }, notifierTables);
    this.next = Number(this.tables().facts.get(nextKey) ?? 0);
    for (const [channel] of this.tables().queue.getKeys()) this.counts.set(channel, this.waiting(channel) + 1);
  }

  get condition(): StoreCondition {
    return this.store.condition;
  }

  /** Probes whether the disk accepts writes again. */
  probe(): Promise<StoreCondition> {
    return this.store.probe();
  }

  /** Messages that wait for a channel. */
  waiting(channel: string): number {
    return this.counts.get(channel) ?? 0;
  }

  /** Names of all channels that have a queue or a cursor. */
  channels(): string[] {
    return [...new Set([...this.counts.keys(), ...this.tables().cursors.getKeys()])];
  }

  cursor(channel: string): number | undefined {
    return this.tables().cursors.get(channel);
  }

  fact(name: string): unknown {
    return this.tables().facts.get(name);
  }

  /** The oldest messages of a channel, in order, after one. */
  head(channel: string, limit: number, after = -1): Queued[] {
    const range = {
      start: [channel, after + 1] as QueueKey,
      end: [channel, Number.MAX_SAFE_INTEGER] as QueueKey,
      limit,
    };
    return [...this.tables().queue.getRange(range)].map(({ key, value: { retried = false, ...message } }) => {
      return { key, message, isRetried: retried };
    });
  }

  /** Adds messages with the cursors and facts that account for them. Resolves once all of it is on disk; else nothing is. */
  take(intakes: readonly Intake[], facts: Readonly<Record<string, unknown>> = {}): Promise<void> {
    return this.commit(intakes, facts, []);
  }

  /** Removes messages that were delivered. */
  async remove(keys: readonly QueueKey[]): Promise<void> {
    await this.store.write(({ queue }) => {
      for (const key of keys) void queue.remove(key);
    });
    for (const [channel] of keys) this.counts.set(channel, this.waiting(channel) - 1);
  }

  /** Moves a message out of the queue, in one commit, so that the next one can be delivered. */
  async setAside({ key, message }: Queued, reason: string, refusedAt: string): Promise<void> {
    await this.store.write(({ queue, aside }) => {
      void queue.remove(key);
      void aside.put(key, { message, reason, refusedAt });
    });
    this.counts.set(key[0], this.waiting(key[0]) - 1);
  }

  /** Messages of a channel that were set aside, oldest first. */
  asideOf(channel: string): SetAside[] {
    return this.asideRows(channel).map(({ value }) => value);
  }

  /** Moves messages that were set aside to the end of the queue. @returns the ids of those that were set aside */
  queueAgain(channel: string, ids: readonly string[]): Promise<string[]> {
    return this.changeAside(channel, ids, (rows) => {
      const messages = rows.map(({ value }) => ({ ...value.message, retried: true as const }));
      return this.commit([{ channel, messages }], {}, keysOf(rows));
    });
  }

  /** Removes messages that were set aside. @returns the ids of those that were set aside */
  dropAside(channel: string, ids: readonly string[]): Promise<string[]> {
    return this.changeAside(channel, ids, (rows) => this.commit([], {}, keysOf(rows)));
  }

  /** Removes the queue and the cursor of a channel. @returns how many messages were dropped */
  async drop(channel: string): Promise<number> {
    const keys = this.head(channel, Number.MAX_SAFE_INTEGER).map(({ key }) => key);
    const refused = keysOf(this.asideRows(channel));
    await this.store.write(({ queue, cursors, aside }) => {
      for (const key of keys) void queue.remove(key);
      for (const key of refused) void aside.remove(key);
      void cursors.remove(channel);
    });
    this.counts.delete(channel);
    return keys.length + refused.length;
  }

  close(): Promise<void> {
    return this.store.close();
  }

  /** @param fromAside messages that leave those that were set aside */
  private async commit(
    intakes: readonly Intake[],
    facts: Readonly<Record<string, unknown>>,
    fromAside: readonly QueueKey[],
  ): Promise<void> {
    const added = intakes.flatMap(({ channel, messages }) => messages.map((message) => ({ channel, message })));
    // Taken before the write, so that two writes under way never use one number.
    const first = this.next;
    this.next += added.length;
    await this.store.write((tables) => {
      added.forEach(({ channel, message }, index) => void tables.queue.put([channel, first + index], message));
      for (const { channel, cursor } of intakes) if (cursor !== undefined) void tables.cursors.put(channel, cursor);
      for (const [name, value] of Object.entries(facts)) void tables.facts.put(name, value);
      for (const key of fromAside) void tables.aside.remove(key);
      if (added.length > 0) void tables.facts.put(nextKey, first + added.length);
    });
    for (const { channel, messages } of intakes) this.counts.set(channel, this.waiting(channel) + messages.length);
  }

  /** One change at a time, so that two calls never move the same message. */
  private changeAside(
    channel: string,
    ids: readonly string[],
    change: (rows: readonly AsideRow[]) => Promise<void>,
  ): Promise<string[]> {
    const wanted = new Set(ids);
    const changed = this.changing.then(async () => {
      const rows = this.asideRows(channel).filter(({ value }) => wanted.has(value.message.id));
      if (rows.length > 0) await change(rows);
      return rows.map(({ value }) => value.message.id);
    });
    this.changing = changed.catch(() => undefined);
    return changed;
  }

  private asideRows(channel: string): AsideRow[] {
    const range = { start: [channel, 0] as QueueKey, end: [channel, Number.MAX_SAFE_INTEGER] as QueueKey };
    return [...this.tables().aside.getRange(range)];
  }

  /** Tables as of the newest commit. */
  private tables(): NotifierTables {
    return this.store.read((tables) => tables);
  }
}

function keysOf(rows: readonly AsideRow[]): QueueKey[] {
  return rows.map(({ key }) => key);
}
