import type { TradeEvent } from '../streams/trade-event';
import type { Notification } from './notification';
import type { TradesRule } from './notifier-file';
import type { Intake, NotifierStore } from './notifier.store';
import { isWanted, tradeNotification, type ShownDigits } from './trade-notifications';

/** What is read of the event log. */
export interface ReadEvents {
  readonly firstSeq: number;
  readonly lastSeq: number;
  reachesBackTo(seq: number): boolean;
  after(seq: number, limit: number): TradeEvent[];
}

/** The digits of figures, as far as they can be read. */
export interface ReadDigits extends ShownDigits {
  /** Reads those of symbols that are not known. Never rejects. */
  learn(symbols: readonly string[]): Promise<void>;
}

/** Events that are read at a time, so that the event loop is free in between. */
const eventsAtOnce = 200;
/** With this many messages in the queue of a channel, its events wait in the event log. */
const longestQueue = 1_000;

/**
 * Moves trade events from the event log into the queues, each channel by its own cursor. It reads the log like a slow listener:
 * no caller waits for it, and the terminal is not read more often because of it.
 */
export class TradeIntake {
  constructor(
    private readonly log: ReadEvents,
    private readonly store: NotifierStore,
    private readonly rules: readonly TradesRule[],
    private readonly channels: readonly string[],
    private readonly nowIso: () => string,
    private readonly digits: ReadDigits,
  ) {}

  /** New channels begin with the next event. */
  async begin(): Promise<void> {
    const fresh = this.channels.filter((channel) => this.store.cursor(channel) === undefined);
    if (fresh.length === 0) return;
    await this.store.take(fresh.map((channel) => ({ channel, messages: [], cursor: this.log.lastSeq })));
  }

  /** Takes the next events of each channel. @returns whether there are more */
  async run(): Promise<boolean> {
    await this.digits.learn(this.symbolsNext());
    const intakes = this.channels.flatMap((channel) => this.intakeOf(channel) ?? []);
    if (intakes.length > 0) await this.store.take(intakes);
    return intakes.some(({ channel, cursor }) => cursor !== this.log.lastSeq && this.hasRoom(channel));
  }

  /** The symbols of the events that come next. */
  private symbolsNext(): string[] {
    const cursors = this.channels.flatMap((channel) =>
      this.hasRoom(channel) ? (this.store.cursor(channel) ?? []) : [],
    );
    const events = cursors.flatMap((cursor) => this.log.after(cursor, eventsAtOnce));
    return [...new Set(events.flatMap(({ symbol }) => symbol ?? []))];
  }

  private intakeOf(channel: string): Intake | null {
    const cursor = this.store.cursor(channel);
    if (cursor === undefined || cursor === this.log.lastSeq || !this.hasRoom(channel)) return null;
    if (!this.log.reachesBackTo(cursor)) return this.gap(channel, cursor);
    const events = this.log.after(cursor, eventsAtOnce);
    const last = events.at(-1);
    return last ? { channel, messages: this.messagesOf(channel, events), cursor: last.seq } : null;
  }

  private messagesOf(channel: string, events: readonly TradeEvent[]): Notification[] {
    const rules = this.rules.filter(({ channels }) => channels.includes(channel));
    return events
      .filter((event) => rules.some((rule) => isWanted(event, rule)))
      .map((event) => tradeNotification(event, this.digits));
  }

  /** The log no longer has the events after the cursor, or it is another log. What it has is delivered all the same. */
  private gap(channel: string, cursor: number): Intake {
    const { firstSeq, lastSeq } = this.log;
    const isTooOld = cursor < firstSeq;
    const next = isTooOld ? firstSeq - 1 : lastSeq;
    if (!this.rules.some(({ channels }) => channels.includes(channel))) return { channel, messages: [], cursor: next };
    const text = isTooOld
      ? `trade events ${cursor + 1} to ${firstSeq - 1} are no longer in the event log and were not delivered`
      : `the event log was replaced: trade events around ${cursor} may not have been delivered`;
    const message: Notification = {
      id: `events-missed-${cursor}-${next}`,
      type: 'events_missed',
      state: null,
      at: this.nowIso(),
      account: null,
      text: `${text}; read positions and orders`,
      data: { since: cursor, first_seq: firstSeq, last_seq: lastSeq },
    };
    return { channel, messages: [message], cursor: next };
  }

  private hasRoom(channel: string): boolean {
    return this.store.waiting(channel) < longestQueue;
  }
}
