import { join } from 'node:path';
import { StoreOpenError, type Store, type StoreCondition, type StoreEngine } from '@libs/store';
import type { JournalMark } from '../audit/audit-record';
import type { Losses, StoredFence } from '../trade-core/fence';
import { AuditedRecords } from './audited-records';
import type { IntentRecord, TicketClaim, TradeRequestRecord } from '../trade-core/journal-records';
import { defineTables, type Identity, type Tables, type Trust } from './journal-tables';
import type { KeyTables } from './key-tables';

const portion = 500;
const identityKey = 'identity';
const sequenceKey = 'sequence';
const formatKey = 'format';

/**
 * The newest format that this version reads. A journal without a number has format 1. A later version that changes the format writes
 * a higher number under {@link formatKey}.
 */
const journalFormat = 1;

/** Disk space for some hundred closes and cancels on a full disk. */
const reserveBytes = 1024 * 1024;

/** Folder of the trade journal in the state folder. */
export function journalFolder(stateDir: string): string {
  return join(stateDir, 'trade-journal');
}

/**
 * The journal's disk: an LMDB environment whose commits are flushed off the event loop, one flush per turn.
 * Single writer: the process holds the folder's lock.
 */
export class JournalStore {
  /** The events that become lines of the audit log. */
  readonly records: AuditedRecords;
  private readonly store: Store<Tables>;
  private identity: Identity;
  /** Sequence number of the last commit that is known to be on disk. */
  private durable: number;
  private last: number;
  private identityIsDurable: boolean;
  private closed = false;
  private readonly file: string;

  /**
   * @param newId generates the id of a new journal
   * @throws StoreOpenError
   */
  constructor(stores: StoreEngine, directory: string, newId: () => string) {
    this.file = join(directory, 'data.mdb');
    const options = { name: 'the trade journal', path: directory, layout: 'folder', maxTables: 24 } as const;
    this.store = stores.open({ ...options, reserveBytes, copyWhenUnwritable: true }, defineTables);
    const { meta } = this.tables();
    this.requireKnownFormat(Number(meta.get(formatKey) ?? journalFormat));
    const known = identityOf(meta.get(identityKey));
    // Version 0.1.0 set no id. A journal that has records is one of these, and keeps them.
    this.identity = known ?? { id: newId(), trust: this.isEmpty ? 'unproven' : 'proven', loss: null };
    this.identityIsDurable = known !== null;
    this.durable = this.last = Number(meta.get(sequenceKey) ?? 0);
    this.records = new AuditedRecords(() => this.tables(), this.id);
  }

  /** Id of this journal; differs from that of any earlier journal at its path. */
  get id(): string {
    return this.identity.id;
  }

  get trust(): Trust {
    return this.identity.trust;
  }

  get loss(): string | null {
    return this.identity.loss;
  }

  /** The mark for audit lines; contains only what a restart finds again. Null if that is nothing. */
  get mark(): JournalMark | null {
    return this.identityIsDurable ? { id: this.id, sequence: this.durable } : null;
  }

  /** How often it was judged lost, and when last. */
  get losses(): Losses {
    return { count: this.identity.losses ?? 0, lastAtMs: this.identity.lostAtMs ?? 0 };
  }

  /**
   * Judges that it lacks requests that were sent; see {@link judge}. Every fence in it has to be raised again.
   * @param nowMs UTC
   */
  async lose(reason: string, nowMs: number): Promise<void> {
    const { count, lastAtMs } = this.losses;
    this.identity = { ...this.identity, losses: count + 1, lostAtMs: Math.max(lastAtMs, nowMs) };
    await this.judge('lost', reason);
  }

  /** Changes the journal's record of itself; applies at once, and survives a restart once this resolves. */
  async judge(trust: Trust, loss: string | null): Promise<void> {
    this.identity = { ...this.identity, trust, loss };
    this.identityIsDurable = false;
    await this.write(() => undefined);
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Whether writes succeed: closes and cancels may be written from the reserve while new risk cannot. */
  get condition(): StoreCondition {
    return this.store.condition;
  }

  /** Probes whether the disk accepts writes. Never rejects. */
  probe(): Promise<StoreCondition> {
    return this.store.probe();
  }

  /** Applies a change atomically and resolves once it is on disk. @throws StoreWriteError if it is not */
  async write(change: (tables: Tables) => void): Promise<void> {
    let sequence = 0;
    let identity: Identity | null = null;
    await this.store.write((tables) => {
      change(tables);
      // Numbers are never reused: a failed commit leaves a gap.
      sequence = ++this.last;
      void tables.meta.put(sequenceKey, sequence);
      identity = this.identity;
      void tables.meta.put(identityKey, identity);
    });
    this.durable = Math.max(this.durable, sequence);
    if (identity === this.identity) this.identityIsDurable = true;
  }

  *fences(): Iterable<readonly [string, StoredFence]> {
    for (const { key, value } of this.tables().fences.getRange({})) yield [key, value];
  }

  /** Copies the newest commit to a folder while writes go on; see {@link Store.copyTo}. */
  copyTo(folder: string): Promise<void> {
    return this.store.copyTo(folder);
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

  /**
   * The requests under these keys, with their intents.
   * @throws StoreOpenError if one of them cannot be read, because sending requires knowing what was sent before
   */
  leftOpen(): { readonly record: TradeRequestRecord; readonly intents: readonly IntentRecord[] }[] {
    return this.keysLeftOpen().flatMap((key) => {
      try {
        const record = this.request(key);
        if (!record) return [];
        if (record.key !== key || typeof record.id !== 'string') throw new Error('not a trade request');
        const intents = this.intentsOf(record.id);
        if (!intents.every(isWhole)) throw new Error('one of its intents is incomplete');
        return { record, intents };
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        const what = `the trade journal in ${this.file} is damaged: the open request ${JSON.stringify(key)} cannot be read`;
        throw new StoreOpenError(`${what}: ${reason}`, { cause });
      }
    });
  }

  /** Intents written at or after an instant of UTC, oldest first. */
  async intentsSince(ms: number): Promise<IntentRecord[]> {
    const ids = [...this.tables().timeline.getKeys({ start: [ms] })].map(([, id]) => String(id));
    const found: IntentRecord[] = [];
    for (const [index, id] of ids.entries()) {
      // Read in portions, because a month of trading at once would delay orders.
      if (index % portion === portion - 1) await new Promise((resolve) => setImmediate(resolve));
      const intent = this.closed ? undefined : this.tables().intents.get(id);
      if (intent) found.push(intent);
    }
    return found;
  }

  /** Tables of keys and look-ups, and their retention. */
  get keys(): KeyTables {
    return this.tables().keys;
  }

  /** Waits for writes in flight, then closes; later reads and writes fail. */
  async close(): Promise<void> {
    this.closed = true;
    await this.store.close();
  }

  /** A newer version may have recorded what counts as sent in a way that is not seen here: its keys would be sent again. */
  private requireKnownFormat(format: number): void {
    if (format <= journalFormat) return;
    void this.close();
    const formats = `format ${format}; this one reads format ${journalFormat}`;
    throw new StoreOpenError(
      `the trade journal in ${this.file} is that of a newer version of the gateway (${formats}): start that version`,
    );
  }

  private get isEmpty(): boolean {
    const { requests, intents, claims } = this.tables();
    return [requests, intents, claims].every((table) => [...table.getKeys({ limit: 1 })].length === 0);
  }

  /** Tables as of the newest commit. */
  private tables(): Tables {
    return this.store.read((tables) => tables);
  }
}

function isWhole({ id, request, outcome }: IntentRecord): boolean {
  return typeof id === 'string' && typeof request === 'object' && typeof outcome === 'object';
}

function identityOf(stored: Identity | number | undefined): Identity | null {
  return typeof stored === 'object' ? stored : null;
}

function numberOf(intentId: string): number {
  return Number(intentId.slice(intentId.lastIndexOf('/') + 1));
}
