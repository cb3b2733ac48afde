import type { Store, StoreCondition, StoreEngine, Table, TableSource } from '@libs/store';
import { KnownAccount } from './known-account';
import {
  knownAccountTableCount,
  knownAccountTables,
  readKnownAccount,
  writeKnownAccount,
  type KnownAccountTables,
} from './known-account.store';
import type { TradeEvent, UnnumberedEvent } from './trade-event';

const lastSeqKey = 'last_seq';
const lastAccountKey = 'last_account';
const lastSignalKey = 'last_signal';

interface EventTables {
  readonly events: Table<TradeEvent, number>;
  readonly known: KnownAccountTables;
  readonly facts: Table<number | string, string>;
}

function eventTables(source: TableSource): EventTables {
  return { events: source.table('events'), known: knownAccountTables(source), facts: source.table('facts') };
}

/**
 * The event log's disk: an LMDB environment of its own. Events and the account they refer to are written in one commit,
 * so that a crash neither repeats nor loses an event.
 */
export class EventLogStore {
  private readonly store: Store<EventTables>;
  private first: number;
  private last: number;
  /** Ends with the write before: each takes the numbers after those of the one before. */
  private writing: Promise<unknown> = Promise.resolve();

  /**
   * @param keep events kept; older ones are dropped
   * @param firstSeq number of the first event of a new log. If it is taken from the time, numbers of a lost log are all
   *   lower, so they are too old for the new log and never mistaken for its own.
   * @throws StoreOpenError
   */
  constructor(
    stores: StoreEngine,
    directory: string,
    private readonly keep: number,
    firstSeq: number,
  ) {
    const options = { name: 'the event log', path: directory, layout: 'folder' } as const;
    const maxTables = 2 + knownAccountTableCount;
    this.store = stores.open({ ...options, maxTables, copyWhenUnwritable: true }, eventTables);
    const { events, facts } = this.tables();
    this.last = Number(facts.get(lastSeqKey) ?? firstSeq - 1);
    [this.first = this.last + 1] = [...events.getKeys({ limit: 1 })];
  }

  /** Whether events can be written now. */
  get condition(): StoreCondition {
    return this.store.condition;
  }

  /** Probes whether the disk accepts writes again. */
  probe(): Promise<StoreCondition> {
    return this.store.probe();
  }

  /** Number of the oldest event that is kept; the next number if there is none. */
  get firstSeq(): number {
    return this.first;
  }

  /** Number of the newest event. */
  get lastSeq(): number {
    return this.last;
  }

  /** Key of the account of the newest entry; undefined in a new log. */
  get lastAccount(): string | undefined {
    return this.tables().facts.get(lastAccountKey)?.toString();
  }

  /** Number of the last change of a signal that is in the log; 0 before the first. */
  get lastSignal(): number {
    return Number(this.tables().facts.get(lastSignalKey) ?? 0);
  }

  /** The account as last written; undefined before the first write. */
  account(key: string): KnownAccount | undefined {
    const rows = readKnownAccount(this.tables().known, key);
    return rows && new KnownAccount(rows);
  }

  /**
   * Appends events, with the changes of the account that they refer to. Resolves with them once they are on disk; rejects without
   * any change if that fails.
   */
  async append(events: readonly UnnumberedEvent[], account: string, known: KnownAccount): Promise<TradeEvent[]> {
    const { changes } = known;
    const numbered = await this.write(events, ({ facts, known: knownTables }) => {
      void facts.put(lastAccountKey, account);
      writeKnownAccount(knownTables, account, changes);
    });
    known.commit();
    return numbered;
  }

  /** Appends changes of signals, and the number of the last of them. Resolves and rejects as {@link append} does. */
  appendSignals(events: readonly UnnumberedEvent[], lastSignal: number): Promise<TradeEvent[]> {
    return this.write(events, ({ facts }) => void facts.put(lastSignalKey, lastSignal));
  }

  private write(events: readonly UnnumberedEvent[], putFacts: (tables: EventTables) => void): Promise<TradeEvent[]> {
    const written = this.writing.then(() => this.writeNow(events, putFacts));
    this.writing = written.catch(() => undefined);
    return written;
  }

  private async writeNow(
    events: readonly UnnumberedEvent[],
    putFacts: (tables: EventTables) => void,
  ): Promise<TradeEvent[]> {
    const numbered = events.map((event, index) => ({ seq: this.last + 1 + index, ...event }));
    const last = this.last + numbered.length;
    const first = Math.max(this.first, last - this.keep + 1);
    await this.store.write((tables) => {
      for (const event of numbered) void tables.events.put(event.seq, event);
      for (let seq = this.first; seq < first; seq++) void tables.events.remove(seq);
      void tables.facts.put(lastSeqKey, last);
      putFacts(tables);
    });
    this.last = last;
    this.first = first;
    return numbered;
  }

  /** Events after a number, in order. */
  after(seq: number, limit: number): TradeEvent[] {
    return [...this.tables().events.getRange({ start: seq + 1, end: this.last + 1, limit })].map(({ value }) => value);
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  /** Tables as of the newest commit. */
  private tables(): EventTables {
    return this.store.read((tables) => tables);
  }
}
