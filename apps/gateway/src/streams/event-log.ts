import type { EventLogStore } from './event-log.store';
import type { KnownAccountRecord } from './known-account';
import { sseFrame } from './sse-frame';
import type { TradeEvent, UnnumberedEvent } from './trade-event';

/** Events whose frames are kept in memory, for listeners that are up to date. */
const framesKept = 1_000;

/** An event as it goes out to listeners. */
export interface LoggedFrame {
  readonly seq: number;
  /** Undefined for what concerns every listener. */
  readonly magic: number | undefined;
  readonly bytes: Buffer;
}

/** The trade events in their order: written by the watcher, followed by any number of listeners. */
export class EventLog {
  private readonly frames = new Map<number, LoggedFrame>();
  private readonly followers = new Set<() => void>();

  /** @param complain hears of a follower that failed, which is no failure of the log */
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

  /** Key of the account the newest entry is about; undefined in a new log. */
  get lastAccount(): string | undefined {
    return this.store.lastAccount;
  }

  account(key: string): KnownAccountRecord | undefined {
    return this.store.account(key);
  }

  /** Writes first, tells then: nobody hears of an event that a crash could take back. */
  async append(events: readonly UnnumberedEvent[], account: string, known: KnownAccountRecord): Promise<void> {
    const numbered = await this.store.append(events, account, known);
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

  /** Whether nothing is missing between an event and the oldest that is kept, and the event is of this log. */
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

  /** Whether anybody waits for more. */
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
  const bytes = sseFrame({ event: event.event, id: event.seq, data: event });
  return { seq: event.seq, magic: event.event === 'resync' ? undefined : (event.magic ?? 0), bytes };
}
