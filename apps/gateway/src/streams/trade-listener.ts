import type { EventLog } from './event-log';
import { inOrder, isSameConnection, type AccountNotices, type OpenNotice } from '../account-evidence/account-notices';
import type { StreamConnection } from './stream-connection';
import { StreamBatch, StreamFrame } from './stream-frame';

const framesAtOnce = 200;

/** The subscription of one listener of trades. */
export interface TradeSubscription {
  /** Only events of this magic; all if undefined. */
  readonly magic: number | undefined;
  /** The last event that it received; if undefined, only new events are sent. */
  readonly since: number | undefined;
}

/**
 * One listener of trade events. It has no queue of its own: it keeps its position in the log and continues reading when
 * its connection can receive more, so a slow listener costs nothing and misses nothing.
 */
export class TradeListener {
  private cursor: number;
  /** The newest event of the log that is sent, waits or has passed by. */
  private seen: number;
  private toldConnection = inOrder;
  private toldDifferences: ReadonlyMap<string, OpenNotice> = new Map();

  constructor(
    private readonly log: EventLog,
    private readonly connection: StreamConnection,
    private readonly subscription: TradeSubscription,
    private readonly notices: Pick<AccountNotices, 'connection' | 'differences' | 'follow'>,
  ) {
    this.cursor = subscription.since ?? log.lastSeq;
    this.seen = log.lastSeq;
  }

  start(): void {
    const unfollow = this.log.follow(() => this.appended());
    const unheed = this.notices.follow(() => this.readOn());
    this.connection.whenReady(() => this.readOn());
    this.connection.whenClosed(() => {
      unfollow();
      unheed();
    });
    if (this.subscription.since === undefined) this.greet();
    this.readOn();
  }

  /** Sends a new listener its position, so that it can reconnect here even before the first event. */
  private greet(): void {
    this.connection.write(StreamBatch.of({ event: 'ready', id: this.cursor, data: { seq: this.cursor } }));
  }

  private appended(): void {
    const before = this.seen;
    this.seen = this.log.lastSeq;
    if (this.connection.isReady) return this.readOn();
    for (const { magic, frame } of this.log.framesAfter(before, framesAtOnce)) {
      if (this.wants(magic)) this.connection.passBy(frame.sseBytes.length);
    }
  }

  private readOn(): void {
    if (this.connection.isReady) this.tell();
    while (this.connection.isReady) {
      if (!this.log.reachesBackTo(this.cursor)) this.resync();
      const frames = this.log.framesAfter(this.cursor, framesAtOnce);
      const last = frames.at(-1);
      if (!last) return;
      this.cursor = last.seq;
      const wanted = frames.filter(({ magic }) => this.wants(magic)).map(({ frame }) => frame);
      if (wanted.length > 0) this.connection.write(new StreamBatch(wanted));
    }
  }

  /** Sends what changed of the session and of the differences since this listener was last told, in the newest state. */
  private tell(): void {
    const { connection: now, differences } = this.notices;
    const frames: StreamFrame[] = [];
    if (!isSameConnection(now, this.toldConnection)) frames.push(new StreamFrame({ event: 'connection', data: now }));
    this.toldConnection = now;
    if (differences !== this.toldDifferences) {
      for (const [name, row] of differences)
        if (!this.toldDifferences.has(name)) frames.push(...this.frameOf('began', row));
      for (const [name, row] of this.toldDifferences)
        if (!differences.has(name)) frames.push(...this.frameOf('ended', row));
      this.toldDifferences = differences;
    }
    if (frames.length > 0) this.connection.write(new StreamBatch(frames));
  }

  private frameOf(action: 'began' | 'ended', row: OpenNotice): StreamFrame[] {
    if (!this.wants(row.magic)) return [];
    return [new StreamFrame({ event: 'difference', data: { event: 'difference', action, ...row } })];
  }

  private resync(): void {
    const { firstSeq: first_seq, lastSeq: last_seq } = this.log;
    const reason = this.cursor > last_seq ? 'unknown_id' : 'too_old';
    const data = { event: 'resync', reason, since: this.cursor, first_seq, last_seq };
    this.cursor = last_seq;
    this.connection.write(StreamBatch.of({ event: 'resync', id: last_seq, data }));
  }

  private wants(magic: number | undefined): boolean {
    return magic === undefined || this.subscription.magic === undefined || magic === this.subscription.magic;
  }
}
