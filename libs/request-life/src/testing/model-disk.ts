import { freeKey, statusOf, type RequestLife, type SendState, type StoredStatus } from '../request-state';
import { storedLife } from '../request-life';

/** What a restart finds of one key. */
interface Found {
  readonly isVoid: boolean;
  readonly status: StoredStatus | null;
  readonly sends: Readonly<Record<string, SendState>>;
}

const nothing: Found = { isVoid: false, status: null, sends: {} };

/** One write under way: what it changes, and who waits for it. */
export interface Write {
  readonly kind: 'intent' | 'outcome' | 'answer' | 'void' | 'removal';
  readonly send: string | null;
  readonly change: (found: Found) => Found;
}

/** The journal of one key in a model: writes reach it in their order, later than they were made, or not at all. */
export class ModelDisk {
  private found = nothing;
  private readonly queue: Write[] = [];

  get isIdle(): boolean {
    return this.queue.length === 0;
  }

  has(send: string): boolean {
    return this.found.status !== null && send in this.found.sends;
  }

  writeIntent(send: string): void {
    this.queue.push({
      ...{ kind: 'intent', send },
      change: (found) => ({ ...found, status: 'in_progress', sends: { ...found.sends, [send]: 'pending' } }),
    });
  }

  writeOutcome(send: string, outcome: SendState): void {
    this.queue.push({
      ...{ kind: 'outcome', send },
      change: (found) => ({ ...found, sends: { ...found.sends, [send]: outcome } }),
    });
  }

  /** The status and all sends, as they are now. */
  writeAnswer({ state, sends }: RequestLife): void {
    const written = Object.entries(sends).filter(([, send]) => send !== 'writing' && send !== 'unwritten');
    this.queue.push({
      ...{ kind: 'answer', send: null },
      change: (found) => ({
        ...found,
        status: statusOf(state),
        sends: { ...found.sends, ...Object.fromEntries(written) },
      }),
    });
  }

  writeVoid(): void {
    if (this.queue.some(({ kind }) => kind === 'void')) return;
    this.queue.push({ kind: 'void', send: null, change: (found) => ({ ...found, isVoid: true }) });
  }

  /** Its sends stay, without a request that they belong to. */
  removeRequest(): void {
    this.queue.push({ kind: 'removal', send: null, change: (found) => ({ ...found, status: null, sends: {} }) });
  }

  forget(): void {
    this.found = nothing;
  }

  /** Ends the oldest write under way. */
  endWrite(succeeds: boolean): Write | null {
    const write = this.queue.shift();
    if (write && succeeds) this.found = write.change(this.found);
    return write ?? null;
  }

  /** Ends the process: the first writes under way are on disk, the others are not. */
  crash(kept: number): RequestLife {
    for (const { change } of this.queue.slice(0, kept)) this.found = change(this.found);
    this.queue.length = 0;
    const { status, sends, isVoid } = this.found;
    if (status !== null) return storedLife(status, sends);
    return isVoid ? { state: 'void', sends: {} } : freeKey;
  }
}
