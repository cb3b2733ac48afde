import type { EventLogStore } from './event-log.store';
import type { KnownAccount } from './known-account';
import { StreamFrame } from './stream-frame';
import type { TradeEvent, UnnumberedEvent } from './trade-event';

/** Number of events whose frames are kept in memory, for listeners that are up to date. */
const framesKept = 1_000;

/** An event as it goes out to listeners. */
export interface LoggedFrame {
  readonly seq: number;
  /** Undefined for events that concern every listener. */
  readonly magic: number | undefined;
  readonly frame: StreamFrame;
}

/** The trade events in order, written by the watcher and followed by any number of listeners. */
export class EventLog {
  private readonly frames = new Map<number, LoggedFrame>();
  private readonly followers = new Set<() => void>();

  /** @param complain called with the error of a failed follower; the log is not affected */
  constructor(
    private readonly store: EventLogStore,
    private readonly complain: (error: unknown) => void,
  ) {}

  get firstSeq(): number {
    return this.store.firstSeq;
  }

  get lastSeq(): number {
    return this.store.lastSeq;
  }

  /** Key of the account of the newest entry; undefined in a new log. */
  get lastAccount(): string | undefined {
    return this.store.lastAccount;
  }

  account(key: string): KnownAccount | undefined {
    return this.store.account(key);
  }

  /** @throws Error while the log cannot be written, after a probe of the disk */
  async requireWritable(): Promise<void> {
    if (this.store.condition.writable) return;
    const condition = await this.store.probe();
    if (!condition.writable) throw new Error(`the event log cannot be written: ${condition.reason}`);
  }

  /** Writes before it emits: an event that a crash could undo is never emitted. */
  async append(events: readonly UnnumberedEvent[], account: string, known: KnownAccount): Promise<void> {
    this.emit(await this.store.append(events, account, known));
  }

  /** Number of the last change of a signal that is in the log; 0 before the first. */
  get lastSignal(): number {
    return this.store.lastSignal;
  }

  /** Writes changes of signals, with the number of the last of them, before it emits them. */
  async appendSignals(events: readonly UnnumberedEvent[], lastSignal: number): Promise<void> {
    this.emit(await this.store.appendSignals(events, lastSignal));
  }

  private emit(numbered: readonly TradeEvent[]): void {
    if (numbered.length === 0) return;
    for (const event of numbered) this.frames.set(event.seq, frameOf(event));
    for (const seq of this.frames.keys()) {
      if (this.frames.size <= framesKept) break;
      this.frames.delete(seq);
    }
    for (const follow of this.followers) {
      try {
        follow();
      } catch (error) {
        this.complain(error);
      }
    }
  }

  /** Whether the log contains everything after an event, and the event belongs to this log. */
  reachesBackTo(seq: number): boolean {
    return seq >= this.firstSeq - 1 && seq <= this.lastSeq;
  }

  after(seq: number, limit: number): TradeEvent[] {
    return this.store.after(seq, limit);
  }

  framesAfter(seq: number, limit: number): LoggedFrame[] {
    if (!this.frames.has(seq + 1)) return this.after(seq, limit).map(frameOf);
    const frames: LoggedFrame[] = [];
    for (let at = seq + 1; frames.length < limit; at++) {
      const frame = this.frames.get(at);
      if (!frame) break;
      frames.push(frame);
    }
    return frames;
  }

  /** Whether there is a follower. */
  get isFollowed(): boolean {
    return this.followers.size > 0;
  }

  /** Calls back whenever there is more to read. */
  follow(more: () => void): () => void {
    this.followers.add(more);
    return () => this.followers.delete(more);
  }
}

function frameOf(event: TradeEvent): LoggedFrame {
  const frame = new StreamFrame({ event: event.event, id: event.seq, data: event });
  return { seq: event.seq, magic: event.event === 'resync' ? undefined : (event.magic ?? 0), frame };
}
