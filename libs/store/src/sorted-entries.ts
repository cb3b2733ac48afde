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
