import { open, type Database, type RootDatabase } from 'lmdb';
import type { IntentRecord, TicketClaim, TradeRequestRecord } from './journal-records';
import { KeyTables } from './key-tables';

/** The tables, as {@link JournalStore.write} hands them to a change. */
export interface JournalTables {
  putRequest(record: TradeRequestRecord): void;
  removeRequest(key: string): void;
  putIntent(record: IntentRecord): void;
  removeIntent(id: string): void;
  putClaim(ticket: number, claim: TicketClaim): void;
  removeClaim(ticket: number): void;
  markOpen(key: string): void;
  clearOpen(key: string): void;
  readonly keys: KeyTables;
}

const json = { encoding: 'json' } as const;
const portion = 500;

/**
 * The journal's disk: an LMDB environment whose commits are flushed off the event loop, those of one turn together.
 * Single writer: the process holds the folder's lock.
 */
export class JournalStore {
  private readonly root: RootDatabase;
  private readonly requests: Database<TradeRequestRecord, string>;
  private readonly intents: Database<IntentRecord, string>;
  private readonly claims: Database<TicketClaim, number>;
  private readonly openKeys: Database<number, string>;
  /** Intents by the time they were written. */
  private readonly timeline: Database<number, (string | number)[]>;
  private readonly keyTables: KeyTables;
  private readonly tables: JournalTables;
  private closed = false;

  constructor(directory: string) {
    // Without overlapping sync a write resolves only when its commit has been flushed; without turn batching no promise
    // of LMDB's own rejects unheard when the disk is full, which would end the process.
    this.root = open({
      path: directory,
      noSubdir: false,
      overlappingSync: false,
      eventTurnBatching: false,
      maxDbs: 24,
      ...json,
    });
    this.requests = this.root.openDB('requests', json);
    this.intents = this.root.openDB('intents', json);
    this.claims = this.root.openDB('claims', { ...json });
    this.openKeys = this.root.openDB('open', json);
    this.timeline = this.root.openDB('timeline', json);
    this.keyTables = new KeyTables(this.root);
    this.tables = this.changes();
  }

  /** Applies a change as a whole and resolves once it is on disk; rejects when it is not. */
  async write(change: (tables: JournalTables) => void): Promise<void> {
    if (this.closed) throw new Error('the trade journal is closed');
    try {
      // A plain transaction would keep what a change had put before the part of it that cannot be.
      await this.root.childTransaction(() => change(this.tables));
    } catch (error) {
      hearReason(error);
      throw error;
    }
  }

  request(key: string): TradeRequestRecord | undefined {
    this.freshen();
    return this.requests.get(key);
  }

  intent(id: string): IntentRecord | undefined {
    this.freshen();
    return this.intents.get(id);
  }

  /** The intents of one trade request, in the order they were written. */
  intentsOf(requestId: string): IntentRecord[] {
    this.freshen();
    return [...this.intents.getRange({ start: `${requestId}/`, end: `${requestId}0` })]
      .map(({ value }) => value)
      .sort((a, b) => numberOf(a.id) - numberOf(b.id));
  }

  claim(ticket: number): TicketClaim | undefined {
    this.freshen();
    return this.claims.get(ticket);
  }

  /** Keys of the requests that were not settled when last written. */
  keysLeftOpen(): string[] {
    this.freshen();
    return [...this.openKeys.getKeys()];
  }

  /** Intents written at or after an instant of UTC, oldest first. */
  async intentsSince(ms: number): Promise<IntentRecord[]> {
    this.freshen();
    const ids = [...this.timeline.getKeys({ start: [ms] })].map(([, id]) => String(id));
    const found: IntentRecord[] = [];
    for (const [index, id] of ids.entries()) {
      // A month of trading is read in portions, so that no order has to wait for it.
      if (index % portion === portion - 1) await new Promise((resolve) => setImmediate(resolve));
      const intent = this.closed ? undefined : this.intents.get(id);
      if (intent) found.push(intent);
    }
    return found;
  }

  /** How long keys, intents and tickets are kept. */
  get keys(): KeyTables {
    this.freshen();
    return this.keyTables;
  }

  /** Waits for what is being written, then closes; later writes are refused. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    // A last write that failed has been reported to whoever asked for it.
    await Promise.resolve(this.root.committed).catch(hearReason);
    await this.root.close();
  }

  /** Reads would otherwise keep the snapshot of their event turn and miss a commit that was awaited in it. */
  private freshen(): void {
    if (this.closed) throw new Error('the trade journal is closed');
    this.root.resetReadTxn();
  }

  private changes(): JournalTables {
    return {
      putRequest: (record) => void this.requests.put(record.key, record),
      removeRequest: (key) => void this.requests.remove(key),
      putIntent: (record) => {
        void this.intents.put(record.id, record);
        void this.timeline.put([record.createdAtMs, record.id], 1);
      },
      removeIntent: (id) => {
        const record = this.intents.get(id);
        if (record) void this.timeline.remove([record.createdAtMs, id]);
        void this.intents.remove(id);
      },
      putClaim: (ticket, claim) => void this.claims.put(ticket, claim),
      removeClaim: (ticket) => void this.claims.remove(ticket),
      markOpen: (key) => void this.openKeys.put(key, 1),
      clearOpen: (key) => void this.openKeys.remove(key),
      keys: this.keyTables,
    };
  }
}

/** LMDB tells why a commit failed by a promise on its error, which would end the process if nobody listened. */
function hearReason(error: unknown): void {
  if (!(error instanceof Error) || !('commitError' in error) || !(error.commitError instanceof Promise)) return;
  error.commitError.catch(() => undefined);
}

function numberOf(intentId: string): number {
  return Number(intentId.slice(intentId.lastIndexOf('/') + 1));
}
