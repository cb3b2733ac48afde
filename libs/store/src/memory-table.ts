import { bytesOfKey, keyOfBytes } from './key-bytes';
import type { EntryChange, SortedEntries } from './sorted-entries';
import type { Key, Range, Table, TableFormat } from './table';

/** Where a table's changes go: only while a change is applied. */
export interface ChangeLog {
  record(before: EntryChange, after: EntryChange): void;
}

/** The changes of a transaction, so that they can be undone and made later. */
export class LoggedChanges implements ChangeLog {
  readonly befores: EntryChange[] = [];
  readonly afters: EntryChange[] = [];

  record(before: EntryChange, after: EntryChange): void {
    this.befores.push(before);
    this.afters.push(after);
  }
}

/** One table of a store in memory. Values are kept as they are stored, so that every read gives a fresh one. */
export class MemoryTable<V, K extends Key> implements Table<V, K> {
  constructor(
    private readonly name: string,
    private readonly format: TableFormat,
    private readonly entries: () => SortedEntries,
    private readonly log: () => ChangeLog,
  ) {}

  get(key: K): V | undefined {
    const stored = this.entries().get(this.encodeKey(key));
    return stored === undefined ? undefined : this.decode(stored);
  }

  doesExist(key: K): boolean {
    return this.entries().get(this.encodeKey(key)) !== undefined;
  }

  getKeys(range: Range<K> = {}): Iterable<K> {
    return this.select(range).map((key) => this.decodeKey(key));
  }

  getRange(range: Range<K> = {}): Iterable<{ readonly key: K; readonly value: V }> {
    const entries = this.entries();
    return this.select(range).map((key) => ({
      key: this.decodeKey(key),
      value: this.decode(entries.get(key) ?? ''),
    }));
  }

  getKeysCount(): number {
    return this.entries().count;
  }

  put(key: K, value: V): void {
    this.change(this.encodeKey(key), this.encode(value));
  }

  remove(key: K): void {
    this.change(this.encodeKey(key), null);
  }

  private change(key: string, value: string | null): void {
    const log = this.log();
    const before = this.entries().get(key) ?? null;
    const table = this.name;
    this.entries().set(key, value);
    log.record({ table, key, value: before }, { table, key, value });
  }

  private select({ start, end, exclusiveStart = false, limit = Number.POSITIVE_INFINITY }: Range<K>): string[] {
    const bound = (key: K | undefined): string | null => (key === undefined ? null : this.encodeKey(key));
    return this.entries().range(bound(start), bound(end), exclusiveStart, limit);
  }

  private encodeKey(key: K): string {
    return bytesOfKey(key).toString('latin1');
  }

  private decodeKey(key: string): K {
    const bytes = Buffer.from(key, 'latin1');
    return (this.format === 'binary' ? bytes : keyOfBytes(bytes)) as K;
  }

  private encode(value: V): string {
    if (this.format === 'binary') return Buffer.from(value as Buffer).toString('latin1');
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) throw new TypeError('a value cannot be undefined');
    return text;
  }

  private decode(stored: string): V {
    return (this.format === 'binary' ? Buffer.from(stored, 'latin1') : JSON.parse(stored)) as V;
  }
}
