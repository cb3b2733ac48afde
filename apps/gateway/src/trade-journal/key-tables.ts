import type { Table, TableSource } from '@libs/store';
import type { EndedEntry } from '../trade-core/core-event';
import type { IntentRecord, LookUpEvidence, RefusedKey, TradePurpose } from '../trade-core/journal-records';
import {
  decodeRememberedKey,
  encodeRememberedKey,
  hashOfKey,
  mostAccounts,
  retentionMs,
  type RememberedKey,
} from '../trade-core/known-key';

/** An entry that expires at an instant of running time. */
export type Lifetime = Omit<EndedEntry, 'settled'>;

/** Numbers that the journal keeps. */
type Counter =
  /** Running time as last stored; none in a journal of version 0.1.0. */
  | 'running_ms'
  /** Number of the last line of the audit log, as last stored; none in a journal of version 0.2.0 and earlier. */
  | 'audit_sequence'
  /** Number of the last record of an event. */
  | 'record'
  /** Number of the last record whose line in the audit log was on disk. */
  | 'flushed_record'
  /** Number of the series of the records; none unless later records were lost. */
  | 'record_epoch'
  /** Login of an account, by the account's number. */
  | `account_${number}`;

/**
 * Tables of used keys and their outcomes, and their retention in running time. Write them only within a change of
 * {@link JournalStore.write}.
 */
export class KeyTables {
  /** Used and void keys by their hash, at most 100 bytes each on disk; no second index. */
  readonly used: Table<Buffer, Buffer>;
  readonly counters: Table<number, Counter>;
  readonly lifetimes: Table<number, (string | number)[]>;
  /** From the look-ups of intents, by their ids. */
  readonly evidence: Table<LookUpEvidence, string>;
  /** Keys bound by a refusal, by hash. */
  readonly refused: Table<RefusedKey, string>;
  /** Intents that change a position or order, by its ticket. */
  private readonly changes: Table<number, (string | number)[]>;
  /** Expiries of version 0.1.0, by an instant of the wall clock, a kind and an id. */
  readonly legacyExpiries: Table<number, (string | number)[]>;

  constructor(source: TableSource) {
    this.used = source.table('keys', 'binary');
    this.counters = source.table('counters');
    this.lifetimes = source.table('lifetimes');
    this.changes = source.table('changes');
    this.evidence = source.table('evidence');
    this.refused = source.table('refused');
    this.legacyExpiries = source.table('expiries');
  }

  memory(key: string): RememberedKey | undefined {
    const bytes = this.used.get(hashOfKey(key));
    return bytes && this.decoded(bytes);
  }

  remember(key: string, entry: RememberedKey): void {
    void this.used.put(hashOfKey(key), encodeRememberedKey(entry, this.accountOf(entry.login)));
  }

  /** A portion of the table in hash order, after `start`; fewer than `limit` entries at its end. */
  walk(start: Buffer | null, limit: number): (RememberedKey & { readonly hash: Buffer })[] {
    const range = start === null ? { limit } : { start, exclusiveStart: true, limit };
    return [...this.used.getRange(range)].map(({ key, value }) => ({ ...this.decoded(value), hash: Buffer.from(key) }));
  }

  /** Entries that expire before an instant, oldest first. */
  endedBefore(runningMs: number, limit: number): Lifetime[] {
    return [...this.lifetimes.getKeys({ end: [runningMs], limit })].map(([untilRunningMs, kind, id]) => ({
      untilRunningMs: Number(untilRunningMs),
      kind: kind as Lifetime['kind'],
      id: String(id),
    }));
  }

  /** Ids of the intents whose outcome was written between two instants of running time, inclusive. */
  intentsSettledWithin(fromRunningMs: number, toRunningMs: number): string[] {
    const [start, end] = [[fromRunningMs + retentionMs.intent], [toRunningMs + retentionMs.intent + 1]];
    const found = [...this.lifetimes.getKeys({ start, end })];
    return found.filter(([, kind]) => kind === 'intent').map(([, , id]) => String(id));
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

  private decoded(bytes: Buffer): RememberedKey {
    return decodeRememberedKey(bytes, (account) => this.counters.get(`account_${account}`) ?? null);
  }

  /** The number of an account, which it gets with its first key; 0 if it is unknown or there are too many. */
  private accountOf(login: number | null): number {
    for (let account = 1; login !== null && account <= mostAccounts; account++) {
      const known = this.counters.get(`account_${account}`);
      if (known === undefined) void this.counters.put(`account_${account}`, login);
      if (known === undefined || known === login) return account;
    }
    return 0;
  }
}

/** A change has no ticket of its own; its only trace is the values that it sets. */
function isChange(purpose: TradePurpose): boolean {
  return purpose === 'modify_levels' || purpose === 'modify_order';
}
