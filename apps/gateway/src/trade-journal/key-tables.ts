import type { Table, TableSource } from '@libs/store';
import type { IntentRecord, LookUpEvidence, RefusedKey, TradePurpose } from '../trade-core/journal-records';
import {
  decodeRememberedKey,
  encodeRememberedKey,
  hashOfKey,
  mostAccounts,
  retentionMs,
  type RememberedKey,
} from '../trade-core/known-key';

export type ExpiringKind = 'request' | 'intent' | 'ticket';

/** An entry that expires at an instant of running time. */
export interface Lifetime {
  readonly untilRunningMs: number;
  readonly kind: ExpiringKind;
  readonly id: string;
}

const runningMs = 'running_ms';
const auditSequence = 'audit_sequence';
const record = 'record';
const flushedRecord = 'flushed_record';
const recordEpoch = 'record_epoch';

/** The same entry of version 0.1.0, which expires at an instant of the wall clock. */
interface LegacyExpiry {
  readonly atMs: number;
  readonly kind: ExpiringKind;
  readonly id: string;
}

/**
 * Tables of used keys and their outcomes, and their retention in running time. Write them only within a change of
 * {@link JournalStore.write}.
 */
export class KeyTables {
  /** Used and void keys by their hash, at most 100 bytes each on disk; no second index. */
  private readonly keys: Table<Buffer, Buffer>;
  private readonly counters: Table<number, string>;
  private readonly lifetimes: Table<number, (string | number)[]>;
  /** Intents that change a position or order, by its ticket. */
  private readonly changes: Table<number, (string | number)[]>;
  private readonly evidence: Table<LookUpEvidence, string>;
  private readonly refused: Table<RefusedKey, string>;
  /** Expiries of version 0.1.0, by the wall clock. */
  private readonly legacyExpiries: Table<number, (string | number)[]>;

  constructor(source: TableSource) {
    this.keys = source.table('keys', 'binary');
    this.counters = source.table('counters');
    this.lifetimes = source.table('lifetimes');
    this.changes = source.table('changes');
    this.evidence = source.table('evidence');
    this.refused = source.table('refused');
    this.legacyExpiries = source.table('expiries');
  }

  /** Running time as last stored; null in a journal of version 0.1.0. */
  storedRunningMs(): number | null {
    return this.counters.get(runningMs) ?? null;
  }

  putRunningMs(ms: number): void {
    void this.counters.put(runningMs, ms);
  }

  /** Number of the last line of the audit log, as last stored; 0 in a journal of version 0.2.0 and earlier. */
  storedAuditSequence(): number {
    return this.counters.get(auditSequence) ?? 0;
  }

  putAuditSequence(sequence: number): void {
    void this.counters.put(auditSequence, sequence);
  }

  /** Number of the last record of an event; 0 if there was none. */
  lastRecord(): number {
    return this.counters.get(record) ?? 0;
  }

  /** Within a change: the number of its next record. */
  nextRecord(): number {
    const number = this.lastRecord() + 1;
    void this.counters.put(record, number);
    return number;
  }

  /** Number of the last record whose line in the audit log was on disk. */
  flushedRecord(): number {
    return this.counters.get(flushedRecord) ?? 0;
  }

  putFlushedRecord(number: number): void {
    void this.counters.put(flushedRecord, number);
  }

  /** Number of the series of the records; 0 unless later records were lost. */
  recordEpoch(): number {
    return this.counters.get(recordEpoch) ?? 0;
  }

  putRecordEpoch(epoch: number): void {
    void this.counters.put(recordEpoch, epoch);
  }

  memory(key: string): RememberedKey | undefined {
    const bytes = this.keys.get(hashOfKey(key));
    return bytes && this.decoded(bytes);
  }

  remember(key: string, entry: RememberedKey): void {
    void this.keys.put(hashOfKey(key), encodeRememberedKey(entry, this.accountOf(entry.login)));
  }

  /** A portion of the table in hash order, after `start`; fewer than `limit` entries at its end. */
  walk(start: Buffer | null, limit: number): (RememberedKey & { readonly hash: Buffer })[] {
    const range = start === null ? { limit } : { start, exclusiveStart: true, limit };
    return [...this.keys.getRange(range)].map(({ key, value }) => ({ ...this.decoded(value), hash: Buffer.from(key) }));
  }

  forget(hash: Buffer): void {
    void this.keys.remove(hash);
  }

  keepUntil(untilRunningMs: number, kind: ExpiringKind, id: string): void {
    void this.lifetimes.put([untilRunningMs, kind, id], 1);
  }

  /** Entries that expire before an instant, oldest first. */
  endedBefore(runningMs: number, limit: number): Lifetime[] {
    return [...this.lifetimes.getKeys({ end: [runningMs], limit })].map(([untilRunningMs, kind, id]) => ({
      untilRunningMs: Number(untilRunningMs),
      kind: kind as ExpiringKind,
      id: String(id),
    }));
  }

  /** Ids of the intents whose outcome was written between two instants of running time, inclusive. */
  intentsSettledWithin(fromRunningMs: number, toRunningMs: number): string[] {
    const [start, end] = [[fromRunningMs + retentionMs.intent], [toRunningMs + retentionMs.intent + 1]];
    const found = [...this.lifetimes.getKeys({ start, end })];
    return found.filter(([, kind]) => kind === 'intent').map(([, , id]) => String(id));
  }

  dropLifetime({ untilRunningMs, kind, id }: Lifetime): void {
    void this.lifetimes.remove([untilRunningMs, kind, id]);
  }

  /** Ids of the intents that change a position or order. */
  changesOf(ticket: number): string[] {
    return [...this.changes.getKeys({ start: [ticket], end: [ticket + 1] })].map(([, id]) => String(id));
  }

  indexChange({ id, purpose, request }: IntentRecord): void {
    if (isChange(purpose)) void this.changes.put([request.position || request.order, id], 1);
  }

  dropChange({ id, purpose, request }: IntentRecord): void {
    if (isChange(purpose)) void this.changes.remove([request.position || request.order, id]);
  }

  evidenceOf(intentId: string): LookUpEvidence | undefined {
    return this.evidence.get(intentId);
  }

  putEvidence(intentId: string, evidence: LookUpEvidence): void {
    void this.evidence.put(intentId, evidence);
  }

  removeEvidence(intentId: string): void {
    void this.evidence.remove(intentId);
  }

  /** Keys bound by a refusal, by hash. */
  refusedKeys(): [string, RefusedKey][] {
    return [...this.refused.getRange({})].map(({ key, value }) => [key, value]);
  }

  putRefused(id: string, key: RefusedKey): void {
    void this.refused.put(id, key);
  }

  removeRefused(id: string): void {
    void this.refused.remove(id);
  }

  /** A portion of the expiries of version 0.1.0. */
  legacy(limit: number): LegacyExpiry[] {
    return [...this.legacyExpiries.getKeys({ limit })].map(([atMs, kind, id]) => ({
      atMs: Number(atMs),
      kind: kind as ExpiringKind,
      id: String(id),
    }));
  }

  dropLegacy({ atMs, kind, id }: LegacyExpiry): void {
    void this.legacyExpiries.remove([atMs, kind, id]);
  }

  private decoded(bytes: Buffer): RememberedKey {
    return decodeRememberedKey(bytes, (account) => this.counters.get(accountKey(account)) ?? null);
  }

  /** The number of an account, which it gets with its first key; 0 if it is unknown or there are too many. */
  private accountOf(login: number | null): number {
    for (let account = 1; login !== null && account <= mostAccounts; account++) {
      const known = this.counters.get(accountKey(account));
      if (known === undefined) void this.counters.put(accountKey(account), login);
      if (known === undefined || known === login) return account;
    }
    return 0;
  }
}

/** The counter that has the login of an account, by the account's number. */
function accountKey(account: number): string {
  return `account_${account}`;
}

/** A change has no ticket of its own; its only trace is the values that it sets. */
function isChange(purpose: TradePurpose): boolean {
  return purpose === 'modify_levels' || purpose === 'modify_order';
}
