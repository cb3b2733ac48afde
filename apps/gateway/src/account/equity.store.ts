import type { Store, StoreCondition, StoreEngine, Table, TableSource } from '@libs/store';

/** Balance and equity of an account, in its deposit currency. */
export interface Amounts {
  readonly balance: number;
  readonly equity: number;
}

/** Amounts and when they were read, UTC milliseconds. */
export interface EquityReading extends Amounts {
  readonly atMs: number;
}

type ReadingKey = [account: string, atMs: number];

interface EquityTables {
  readonly readings: Table<Amounts, ReadingKey>;
}

function equityTables(source: TableSource): EquityTables {
  return { readings: source.table('readings') };
}

interface Kept {
  oldestMs: number;
  count: number;
}

/** Readings that one write removes at most, so that a lowered limit does not make one long commit. */
const mostRemoved = 100;

/** The readings of all accounts on disk, in an LMDB environment of its own. Writes come one after the other. */
export class EquityStore {
  private readonly store: Store<EquityTables>;
  private readonly accounts = new Map<string, Kept>();

  /**
   * @param keep readings kept, of all accounts together; the oldest are dropped
   * @throws StoreOpenError
   */
  constructor(
    stores: StoreEngine,
    directory: string,
    private readonly keep: number,
  ) {
    const options = { name: 'the record of the equity', path: directory, layout: 'folder' } as const;
    this.store = stores.open({ ...options, maxTables: 1, copyWhenUnwritable: true }, equityTables);
    for (const [account, atMs] of this.tables().readings.getKeys()) this.count(account, atMs);
  }

  get condition(): StoreCondition {
    return this.store.condition;
  }

  /** Probes whether the disk accepts writes again. */
  probe(): Promise<StoreCondition> {
    return this.store.probe();
  }

  /** Adds a reading, and drops the oldest ones beyond the limit. Resolves once that is on disk; else nothing changes. */
  async add(account: string, { atMs, balance, equity }: EquityReading): Promise<void> {
    const isNew = !this.tables().readings.doesExist([account, atMs]);
    const dropped = this.surplus(isNew ? 1 : 0);
    await this.store.write(({ readings }) => {
      void readings.put([account, atMs], { balance, equity });
      for (const key of dropped) void readings.remove(key);
    });
    if (isNew) this.count(account, atMs);
    for (const [name] of dropped) this.uncount(name);
  }

  /**
   * The readings of an account after a time, oldest first: the first one of each span of `everyMs`, which is 1 for all of them. A
   * span without a reading has no row. Each row is looked up by its span: a long history costs no more than the rows that it gives.
   */
  after(account: string, afterMs: number, everyMs: number, limit: number): EquityReading[] {
    const { readings } = this.tables();
    const rows: EquityReading[] = [];
    for (let fromMs = afterMs + 1; rows.length < limit;) {
      const [next] = [...readings.getRange(rangeOf(account, 1, fromMs))];
      if (next === undefined) break;
      const [, atMs] = next.key;
      rows.push({ atMs, ...next.value });
      fromMs = endOfSpan(atMs, everyMs) + 1;
    }
    return rows;
  }

  close(): Promise<void> {
    return this.store.close();
  }

  /** The oldest readings of all accounts that are too many. @param added readings that are about to be added */
  private surplus(added: number): ReadingKey[] {
    const total = [...this.accounts.values()].reduce((sum, { count }) => sum + count, added);
    const most = Math.min(total - this.keep, mostRemoved);
    if (most <= 0) return [];
    const [oldest] = [...this.accounts].sort(([, one], [, other]) => one.oldestMs - other.oldestMs);
    return oldest === undefined ? [] : [...this.tables().readings.getKeys(rangeOf(oldest[0], most))];
  }

  private count(account: string, atMs: number): void {
    const kept = this.accounts.get(account) ?? { oldestMs: atMs, count: 0 };
    this.accounts.set(account, { oldestMs: Math.min(kept.oldestMs, atMs), count: kept.count + 1 });
  }

  private uncount(account: string): void {
    const [first] = [...this.tables().readings.getKeys(rangeOf(account, 1))];
    const kept = this.accounts.get(account);
    if (first === undefined || kept === undefined) this.accounts.delete(account);
    else this.accounts.set(account, { oldestMs: first[1], count: kept.count - 1 });
  }

  /** Tables as of the newest commit. */
  private tables(): EquityTables {
    return this.store.read((tables) => tables);
  }
}

/** The last millisecond of the span that a time is in: a page that ends with its reading continues after it. */
export function endOfSpan(atMs: number, everyMs: number): number {
  return (Math.floor(atMs / everyMs) + 1) * everyMs - 1;
}

interface ReadingRange {
  readonly start: ReadingKey;
  readonly end: ReadingKey;
  readonly limit: number;
}

function rangeOf(account: string, limit: number, fromMs = 0): ReadingRange {
  return { start: [account, fromMs], end: [account, Number.MAX_SAFE_INTEGER], limit };
}
