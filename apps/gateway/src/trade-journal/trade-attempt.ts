import type { IntentRecord, TradeRequestRecord } from './journal-records';

/** Who asks for what, before anything of it is written. */
export interface TradeIdentity {
  /** The client's idempotency key; null without one. */
  readonly clientOrderId: string | null;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** Method and route template. */
  readonly route: string;
  readonly fingerprint: string;
}

/** A trade request in memory, from its reservation until it is settled and on disk. */
export class TradeAttempt {
  readonly intents = new Map<string, IntentRecord>();
  /** A handler is at work on it in this process. */
  running = true;
  /** The account it is meant for, as its client said; null when it did not. */
  expectedLogin: number | null = null;
  /** Something of it could not be written; it stays in memory until it can. */
  dirty = false;

  /** False when a send of it was on no disk before it went out: after a crash, its key would not be known. */
  isRemembered = true;

  private sends = 0;

  constructor(
    public record: TradeRequestRecord,
    /** The kill switch is read once more before each send of it. */
    readonly killGated: boolean,
  ) {}

  get key(): string {
    return this.record.key;
  }

  get clientOrderId(): string | null {
    return this.record.clientOrderId;
  }

  /** An intent of it is written, or being written. */
  get hasIntent(): boolean {
    return this.sends > 0 || this.intents.size > 0;
  }

  /** An id for one more send of it. */
  nextIntentId(): string {
    return `${this.record.id}/${this.sends++}`;
  }

  /** True when it is proven that none of its sends did anything. */
  get didNothing(): boolean {
    return [...this.intents.values()].every(({ outcome: { kind } }) => kind === 'not_sent' || kind === 'rejected');
  }

  /** The intents whose outcome is not known, or not known yet. */
  get openIntents(): IntentRecord[] {
    return [...this.intents.values()].filter(({ outcome }) => outcome.kind === 'pending' || outcome.kind === 'unknown');
  }

  /** Those of them that are still looked up. */
  get lookedForIntents(): IntentRecord[] {
    return this.openIntents.filter(({ outcome }) => !(outcome.kind === 'unknown' && outcome.undecidable));
  }

  /** True when a look-up has ended without an answer and none goes on: only a late answer can settle it. */
  get isUndecidable(): boolean {
    return this.openIntents.length > 0 && this.lookedForIntents.length === 0;
  }
}
