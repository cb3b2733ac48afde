import type { FenceClaim } from '../trade-core/fence';
import { isOpenIntent, type IntentRecord, type TradeRequestRecord } from '../trade-core/journal-records';
import { isRunning, isUnwritten, type LiveRequest } from '../trade-core/trade-state';

/** A trade request as its handler and its look-ups see it. Only the core changes the request. */
export class TradeAttempt {
  /** The account that the client expects; null if it named none. */
  expectedLogin: number | null = null;
  /** The fence that the client named; null if it named none. */
  fence: FenceClaim | null = null;
  /** No fence keeps it from trading: an operator flattens the account. */
  ignoresFences = false;

  /** Resolves once no outcome of its sends is being written by {@link keepRecording}. */
  recorded: Promise<unknown> = Promise.resolve();

  constructor(
    /** As the core has it, or had it when it ended. */
    public request: LiveRequest,
    /** The kill switch is read once more before each send of it. */
    readonly killGated: boolean,
  ) {}

  get record(): TradeRequestRecord {
    return this.request.record;
  }

  get intents(): ReadonlyMap<string, IntentRecord> {
    return this.request.intents;
  }

  get key(): string {
    return this.record.key;
  }

  get clientOrderId(): string | null {
    return this.record.clientOrderId;
  }

  /** Whether a handler of this process is running it. */
  get running(): boolean {
    return isRunning(this.request);
  }

  /** A write of it failed; it stays in memory until it is written. */
  get dirty(): boolean {
    return isUnwritten(this.request);
  }

  /** False if a send went out before it was on any disk; a crash would lose its key. */
  get isRemembered(): boolean {
    return this.request.isRemembered;
  }

  /** Lets the handler go on while an outcome is written; the answer and the next send wait for it. */
  keepRecording(outcome: Promise<void>): void {
    this.recorded = Promise.all([this.recorded, outcome]);
    // Those who wait get the error. Until one does, it must not end the process.
    this.recorded.catch(() => undefined);
  }

  /** The account that its sends may go to: the one that the client expects, or that it began on; null means any. */
  get account(): number | null {
    return this.expectedLogin ?? this.record.login ?? null;
  }

  /** True if it is proven that none of its sends did anything. */
  get didNothing(): boolean {
    return [...this.intents.values()].every(({ outcome: { kind } }) => kind === 'not_sent' || kind === 'rejected');
  }

  /** Intents whose outcome is pending or unknown. */
  get openIntents(): IntentRecord[] {
    return [...this.intents.values()].filter(isOpenIntent);
  }

  /** Open intents that are still looked up. */
  get lookedForIntents(): IntentRecord[] {
    return this.openIntents.filter(({ outcome }) => !(outcome.kind === 'unknown' && outcome.undecidable));
  }

  /** True if look-ups ended without a result and none continues: only a late answer can settle it. */
  get isUndecidable(): boolean {
    return this.openIntents.length > 0 && this.lookedForIntents.length === 0;
  }
}
