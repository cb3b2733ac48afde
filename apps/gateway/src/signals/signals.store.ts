import type { Store, StoreCondition, StoreEngine, Table, TableSource } from '@libs/store';
import { laneOf, type SignalRow } from './signal-row';

/** The newest alert of a lane, by the order of its source. */
export interface LaneOrder {
  readonly timeMs: number | null;
  readonly sequence: number | null;
}

/** What is wrong with the alerts of a lane. */
export interface LaneProblem {
  readonly text: string;
  readonly atMs: number;
  /** Alerts were lost; another one that is executed does not make that good. */
  readonly isGap: boolean;
}

/** An alert at the time of a change, for the event log. */
export interface SignalChange {
  readonly number: number;
  readonly row: SignalRow;
}

interface SignalTables {
  readonly rows: Table<SignalRow, number>;
  /** Number of an alert by the slot of its deliveries. */
  readonly slots: Table<number, string>;
  readonly orders: Table<LaneOrder, string>;
  readonly problems: Table<LaneProblem, string>;
  /** Changes that are not in the event log yet. */
  readonly changes: Table<SignalRow, number>;
}

function signalTables(source: TableSource): SignalTables {
  return {
    rows: source.table('rows'),
    slots: source.table('slots'),
    orders: source.table('orders'),
    problems: source.table('problems'),
    changes: source.table('changes'),
  };
}

/** Room on a full disk for what became of the alerts that were accepted before. */
const reserveBytes = 1024 * 1024;

/** Received alerts, and what became of each, on disk: an LMDB environment of its own. The oldest ended ones are removed. */
export class SignalsStore {
  private readonly store: Store<SignalTables>;
  private next: number;
  private count: number;
  private nextChange: number;

  /**
   * @param keep how many ended alerts are kept
   * @param lastChange number of the last change that the event log has
   * @throws StoreOpenError
   */
  constructor(
    stores: StoreEngine,
    directory: string,
    private readonly keep: number,
    lastChange = 0,
  ) {
    const options = { name: 'the store of signals', path: directory, layout: 'folder' } as const;
    this.store = stores.open({ ...options, maxTables: 5, reserveBytes }, signalTables);
    const numbers = [...this.tables().rows.getKeys()];
    this.next = (numbers.at(-1) ?? 0) + 1;
    this.count = numbers.length;
    this.nextChange = Math.max(lastChange, [...this.tables().changes.getKeys()].at(-1) ?? 0) + 1;
  }

  get condition(): StoreCondition {
    return this.store.condition;
  }

  probe(): Promise<StoreCondition> {
    return this.store.probe();
  }

  /** The number of the next alert. Each is handed out once. */
  nextNumber(): number {
    return this.next++;
  }

  row(number: number): SignalRow | undefined {
    return this.tables().rows.get(number);
  }

  bySlot(slot: string): SignalRow | undefined {
    const number = this.tables().slots.get(slot);
    return number === undefined ? undefined : this.row(number);
  }

  order(lane: string): LaneOrder | undefined {
    return this.tables().orders.get(lane);
  }

  problems(): Map<string, LaneProblem> {
    return new Map([...this.tables().problems.getRange()].map(({ key, value }) => [key, value]));
  }

  /** Alerts that have not ended, oldest first. */
  unfinished(): SignalRow[] {
    return [...this.tables().rows.getRange()].map(({ value }) => value).filter(({ endedAtMs }) => endedAtMs === null);
  }

  /** The newest alerts after a number, newest first. */
  newest(limit: number, after: number, isWanted: (row: SignalRow) => boolean): SignalRow[] {
    const { rows } = this.tables();
    const numbers = [...rows.getKeys({ start: after + 1 })].reverse();
    const found: SignalRow[] = [];
    for (const number of numbers) {
      if (found.length >= limit) break;
      const row = rows.get(number);
      if (row && isWanted(row)) found.push(row);
    }
    return found;
  }

  /** Adds an alert with the place that it has in its lane. Resolves once it is on disk. @throws StoreWriteError */
  async add(row: SignalRow, order: LaneOrder | null): Promise<void> {
    this.count += 1;
    const dropped = this.count > this.keep ? this.oldestEnded(this.count - this.keep) : [];
    try {
      await this.store.write(({ rows, slots, orders, changes }) => {
        void rows.put(row.number, row);
        void changes.put(this.nextChange++, row);
        if (row.slot !== null) void slots.put(row.slot, row.number);
        if (order !== null) void orders.put(laneOf(row), order);
        for (const { number, slot } of dropped) {
          void rows.remove(number);
          if (slot !== null && slots.get(slot) === number) void slots.remove(slot);
        }
      });
      this.count -= dropped.length;
    } catch (error) {
      this.count -= 1;
      throw error;
    }
  }

  /** Replaces an alert, with the problem of its lane: null removes it, undefined leaves it. @throws StoreWriteError */
  async put(row: SignalRow, problem?: LaneProblem | null): Promise<void> {
    const before = this.row(row.number);
    await this.store.write(({ rows, problems, changes }) => {
      void rows.put(row.number, row);
      if (isChange(before, row)) void changes.put(this.nextChange++, row);
      if (problem) void problems.put(laneOf(row), problem);
      else if (problem === null) void problems.remove(laneOf(row));
    });
  }

  /** Sets the problem of a lane; null removes it. @throws StoreWriteError */
  async putProblem(lane: string, problem: LaneProblem | null): Promise<void> {
    await this.store.write(({ problems }) => {
      if (problem) void problems.put(lane, problem);
      else void problems.remove(lane);
    });
  }

  /** The oldest changes that the event log may not have. */
  changes(limit: number): SignalChange[] {
    return [...this.tables().changes.getRange({ limit })].map(({ key, value }) => ({ number: key, row: value }));
  }

  /** Forgets changes that the event log has, up to this number. @throws StoreWriteError */
  async forgetChanges(last: number): Promise<void> {
    await this.store.write(({ changes }) => {
      for (const number of changes.getKeys({ end: last + 1 })) void changes.remove(number);
    });
  }

  close(): Promise<void> {
    return this.store.close();
  }

  /** Some of the oldest that have ended; the rest is removed with the next ones. */
  private oldestEnded(count: number): SignalRow[] {
    const ended: SignalRow[] = [];
    for (const { value } of this.tables().rows.getRange({ limit: count + 100 })) {
      if (ended.length < count && value.endedAtMs !== null) ended.push(value);
    }
    return ended;
  }

  /** Tables as of the newest commit. */
  private tables(): SignalTables {
    return this.store.read((tables) => tables);
  }
}

/** Whether listeners learn of it: `working` is between two states that they learn of. */
function isChange(before: SignalRow | undefined, { state, endedAtMs }: SignalRow): boolean {
  if (state === 'working') return false;
  return before === undefined || before.state !== state || (before.endedAtMs === null) !== (endedAtMs === null);
}
