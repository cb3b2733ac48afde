import { SortedEntries, type EntryChange } from '@libs/store';

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
