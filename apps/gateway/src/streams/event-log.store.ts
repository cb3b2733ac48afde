import { open, type Database, type RootDatabase } from 'lmdb';
import type { KnownAccountRecord } from './known-account';
import type { TradeEvent, UnnumberedEvent } from './trade-event';

const json = { encoding: 'json' } as const;
const lastSeqKey = 'last_seq';
const lastAccountKey = 'last_account';

/**
 * The event log's disk: an LMDB environment of its own. Events and the account they were told of are written in one
 * commit, so that a crash between the two neither repeats an event nor swallows it.
 */
export class EventLogStore {
  private readonly root: RootDatabase;
  private readonly events: Database<TradeEvent, number>;
  private readonly accounts: Database<KnownAccountRecord, string>;
  private readonly facts: Database<number | string, string>;
  private first: number;
  private last: number;
  private closed = false;

  /**
   * @param keep events kept; older ones are dropped
   * @param firstSeq number of the first event of a new log. One taken from the time makes sure that numbers of a log
   *   that was lost are all too old for the new one, and never mistaken for its own.
   */
  constructor(
    directory: string,
    private readonly keep: number,
    firstSeq: number,
  ) {
    // Without overlapping sync a write resolves only when its commit has been flushed.
    this.root = open({ path: directory, noSubdir: false, overlappingSync: false, maxDbs: 3, ...json });
    this.events = this.root.openDB('events', json);
    this.accounts = this.root.openDB('accounts', json);
    this.facts = this.root.openDB('facts', json);
    this.last = Number(this.facts.get(lastSeqKey) ?? firstSeq - 1);
    [this.first = this.last + 1] = [...this.events.getKeys({ limit: 1 })];
  }

  /** Number of the oldest event that is kept; one beyond the last when there is none. */
  get firstSeq(): number {
    return this.first;
  }

  /** Number of the newest event. */
  get lastSeq(): number {
    return this.last;
  }

  /** Key of the account the newest entry is about; undefined in a new log. */
  get lastAccount(): string | undefined {
    this.freshen();
    return this.facts.get(lastAccountKey)?.toString();
  }

  /** The account as it was told when last written; undefined when nothing was. */
  account(key: string): KnownAccountRecord | undefined {
    this.freshen();
    return this.accounts.get(key);
  }

  /** Appends events and resolves with them once they are on disk; rejects, with nothing changed, when they are not. */
  async append(events: readonly UnnumberedEvent[], account: string, known: KnownAccountRecord): Promise<TradeEvent[]> {
    if (this.closed) throw new Error('the event log is closed');
    const numbered = events.map((event, index) => ({ seq: this.last + 1 + index, ...event }));
    const last = this.last + numbered.length;
    const first = Math.max(this.first, last - this.keep + 1);
    await this.root.batch(() => {
      for (const event of numbered) void this.events.put(event.seq, event);
      for (let seq = this.first; seq < first; seq++) void this.events.remove(seq);
      void this.facts.put(lastSeqKey, last);
      void this.facts.put(lastAccountKey, account);
      void this.accounts.put(account, known);
    });
    this.last = last;
    this.first = first;
    return numbered;
  }

  /** Events after a number, in order. */
  after(seq: number, limit: number): TradeEvent[] {
    this.freshen();
    return [...this.events.getRange({ start: seq + 1, end: this.last + 1, limit })].map(({ value }) => value);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.root.committed;
    await this.root.close();
  }

  /** Reads would otherwise keep the snapshot of their event turn and miss a commit that was awaited in it. */
  private freshen(): void {
    if (this.closed) throw new Error('the event log is closed');
    this.root.resetReadTxn();
  }
}
