import { Store, type StoreCondition, type Table, type TableSource } from '@libs/store';
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

const portion = 500;

/** Disk space for some hundred closes and cancels on a full disk. */
const reserveBytes = 1024 * 1024;

interface Tables {
  readonly requests: Table<TradeRequestRecord, string>;
  readonly intents: Table<IntentRecord, string>;
  readonly claims: Table<TicketClaim, number>;
  readonly openKeys: Table<number, string>;
  /** Intents by the time they were written. */
  readonly timeline: Table<number, (string | number)[]>;
  readonly keys: KeyTables;
}

function defineTables(source: TableSource): Tables {
  return {
    requests: source.table('requests'),
    intents: source.table('intents'),
    claims: source.table('claims'),
    openKeys: source.table('open'),
    timeline: source.table('timeline'),
    keys: new KeyTables(source),
  };
}

/**
 * The journal's disk: an LMDB environment whose commits are flushed off the event loop, those of one turn together.
 * Single writer: the process holds the folder's lock.
 */
export class JournalStore {
  private readonly store: Store<Tables>;
  private closed = false;

  /** @throws StoreOpenError */
  constructor(directory: string) {
    const options = { name: 'the trade journal', path: directory, layout: 'folder', maxTables: 24 } as const;
    this.store = Store.open({ ...options, reserveBytes, copyWhenUnwritable: true }, defineTables);
  }

  /** Whether writes succeed: closes and cancels may be written from the reserve while new risk cannot. */
  get condition(): StoreCondition {
    return this.store.condition;
  }

  /** Finds out whether the disk takes writes now. Never rejects. */
  probe(): Promise<StoreCondition> {
    return this.store.probe();
  }

  /** Applies a change as a whole and resolves once it is on disk. @throws StoreWriteError when it is not */
  async write(change: (tables: JournalTables) => void): Promise<void> {
    await this.store.write((tables) => change(changesOf(tables)));
  }

  request(key: string): TradeRequestRecord | undefined {
    return this.tables().requests.get(key);
  }

  intent(id: string): IntentRecord | undefined {
    return this.tables().intents.get(id);
  }

  /** The intents of one trade request, in the order they were written. */
  intentsOf(requestId: string): IntentRecord[] {
    return [...this.tables().intents.getRange({ start: `${requestId}/`, end: `${requestId}0` })]
      .map(({ value }) => value)
      .sort((a, b) => numberOf(a.id) - numberOf(b.id));
  }

  claim(ticket: number): TicketClaim | undefined {
    return this.tables().claims.get(ticket);
  }

  /** Keys of the requests that were not settled when last written. */
  keysLeftOpen(): string[] {
    return [...this.tables().openKeys.getKeys()];
  }

  /** Intents written at or after an instant of UTC, oldest first. */
  async intentsSince(ms: number): Promise<IntentRecord[]> {
    const ids = [...this.tables().timeline.getKeys({ start: [ms] })].map(([, id]) => String(id));
    const found: IntentRecord[] = [];
    for (const [index, id] of ids.entries()) {
      // A month of trading is read in portions, so that no order has to wait for it.
      if (index % portion === portion - 1) await new Promise((resolve) => setImmediate(resolve));
      const intent = this.closed ? undefined : this.tables().intents.get(id);
      if (intent) found.push(intent);
    }
    return found;
  }

  /** How long keys, intents and tickets are kept. */
  get keys(): KeyTables {
    return this.tables().keys;
  }

  /** Waits for what is being written, then closes; later reads and writes are refused. */
  async close(): Promise<void> {
    this.closed = true;
    await this.store.close();
  }

  /** The tables as of the newest commit. */
  private tables(): Tables {
    return this.store.read((tables) => tables);
  }
}

function changesOf({ requests, intents, claims, openKeys, timeline, keys }: Tables): JournalTables {
  return {
    putRequest: (record) => void requests.put(record.key, record),
    removeRequest: (key) => void requests.remove(key),
    putIntent: (record) => {
      void intents.put(record.id, record);
      void timeline.put([record.createdAtMs, record.id], 1);
    },
    removeIntent: (id) => {
      const record = intents.get(id);
      if (record) void timeline.remove([record.createdAtMs, id]);
      void intents.remove(id);
    },
    putClaim: (ticket, claim) => void claims.put(ticket, claim),
    removeClaim: (ticket) => void claims.remove(ticket),
    markOpen: (key) => void openKeys.put(key, 1),
    clearOpen: (key) => void openKeys.remove(key),
    keys,
  };
}

function numberOf(intentId: string): number {
  return Number(intentId.slice(intentId.lastIndexOf('/') + 1));
}
