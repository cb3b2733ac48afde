/**
 * A map whose changes are drafts until {@link commit}: reads see them, and {@link rollback} drops them. The work of both
 * depends on the number of changes only.
 */
export class DraftMap<K, V extends object | number | true> {
  /** Changed entries; null is removed. */
  private readonly draft = new Map<K, V | null>();

  constructor(private readonly base: Map<K, V> = new Map()) {}

  get size(): number {
    let { size } = this.base;
    for (const [key, value] of this.draft) size += Number(value !== null) - Number(this.base.has(key));
    return size;
  }

  get(key: K): V | undefined {
    const changed = this.draft.get(key);
    return changed === undefined ? this.base.get(key) : (changed ?? undefined);
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  set(key: K, value: V): void {
    this.draft.set(key, value);
  }

  delete(key: K): void {
    this.draft.set(key, null);
  }

  /** Replaces a value by one that means the same; this is not a change. */
  refresh(key: K, value: V): void {
    if (this.draft.has(key)) this.draft.set(key, value);
    else this.base.set(key, value);
  }

  *[Symbol.iterator](): Generator<[K, V]> {
    for (const [key, value] of this.base) {
      const changed = this.draft.get(key);
      if (changed !== null) yield [key, changed ?? value];
    }
    for (const [key, value] of this.draft) if (value !== null && !this.base.has(key)) yield [key, value];
  }

  /** The entries of some keys. @param keys null for all */
  *entriesOf(keys: Iterable<K> | null): Generator<[K, V]> {
    if (keys === null) yield* this;
    for (const key of keys ?? []) {
      const value = this.get(key);
      if (value !== undefined) yield [key, value];
    }
  }

  /** What {@link commit} will change; null is removed. */
  get changes(): ReadonlyMap<K, V | null> {
    return this.draft;
  }

  commit(): void {
    for (const [key, value] of this.draft) {
      if (value === null) this.base.delete(key);
      else this.base.set(key, value);
    }
    this.draft.clear();
  }

  rollback(): void {
    this.draft.clear();
  }
}
