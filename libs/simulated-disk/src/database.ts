/** One entry before or after a change; `value` is null where there is none. Keys are bytes, one character each. */
export interface EntryChange {
  readonly table: string;
  readonly key: string;
  readonly value: string | null;
}

/** The entries of one table, in the order of the bytes of their keys. */
export class SortedEntries {
  private readonly values = new Map<string, string>();
  private readonly keys: string[] = [];
  /** Characters of all keys and values. */
  size = 0;

  get count(): number {
    return this.keys.length;
  }

  get(key: string): string | undefined {
    return this.values.get(key);
  }

  set(key: string, value: string | null): void {
    const before = this.values.get(key);
    this.size +=
      (value === null ? 0 : key.length + value.length) - (before === undefined ? 0 : key.length + before.length);
    if (value === null) {
      if (this.values.delete(key)) this.keys.splice(this.from(key), 1);
      return;
    }
    if (!this.values.has(key)) this.keys.splice(this.from(key), 0, key);
    this.values.set(key, value);
  }

  /** Keys in their order, as they are now. */
  range(start: string | null, end: string | null, exclusiveStart: boolean, limit: number): string[] {
    let first = start === null ? 0 : this.from(start);
    if (exclusiveStart && start !== null && this.keys[first] === start) first++;
    const last = end === null ? this.keys.length : this.from(end);
    return this.keys.slice(first, Math.max(first, Math.min(last, first + limit)));
  }

  /** Index of the first key at or after this one. */
  private from(key: string): number {
    let [low, high] = [0, this.keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const pageBytes = 4_096;
/** What LMDB keeps of a page beside entries: headers, and room left by splits. */
const fillOfPages = 0.6;
const entryBytes = 16;
/** Meta pages, the tree of tables, and pages that wait to be used again. */
const fixedPages = 10;
const pagesOfTable = 2;

/** What a database file holds: the newest commit, and the pages that it takes. */
export class Database {
  private readonly tables = new Map<string, SortedEntries>();
  /** Why the file cannot be opened; null for a sound one. */
  damage: string | null = null;

  table(name: string): SortedEntries {
    let table = this.tables.get(name);
    if (!table) this.tables.set(name, (table = new SortedEntries()));
    return table;
  }

  apply(changes: readonly EntryChange[]): void {
    for (const { table, key, value } of changes) this.table(table).set(key, value);
  }

  /** The same entries in a database of its own. */
  copy(): Database {
    const copy = new Database();
    for (const [name, entries] of this.tables) {
      const changes = entries.range(null, null, false, entries.count).map((key) => {
        return { table: name, key, value: entries.get(key) ?? null };
      });
      copy.apply(changes);
    }
    return copy;
  }

  /** About the bytes up to the last page in use. */
  get usedBytes(): number {
    let pages = fixedPages;
    for (const { size, count } of this.tables.values()) {
      pages += pagesOfTable + Math.ceil((size + count * entryBytes) / (pageBytes * fillOfPages));
    }
    return pages * pageBytes;
  }
}
