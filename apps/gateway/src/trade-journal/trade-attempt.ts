import {
  isHandled,
  isOpenStatus,
  statusOf,
  step,
  storedLife,
  withVoid,
  type RequestEvent,
  type RequestLife,
  type RequestState,
  type SendState,
  type Step,
  type VoidMark,
} from '@libs/request-life';
import type { FenceClaim } from '../fences/fence';
import type { IntentOutcome, IntentRecord, SettledOutcome, TradeIdentity, TradeRequestRecord } from './journal-records';
import type { StoredResponse } from './trade-answer';

/** How the writing of an intent ended. */
export type WrittenIntent = Extract<RequestEvent, { readonly kind: 'intent_durable' | 'intent_failed' }>;

/** A trade request in memory, from its reservation until it is settled and on disk. */
export class TradeAttempt {
  readonly intents = new Map<string, IntentRecord>();
  /** The account that the client expects; null if it named none. */
  expectedLogin: number | null = null;
  /** The fence that the client named; null if it named none. */
  fence: FenceClaim | null = null;
  /** No fence keeps it from trading: an operator flattens the account. */
  ignoresFences = false;
  /** A write of it failed; it stays in memory until the write succeeds. */
  dirty = false;

  /** False if a send went out before it was on any disk; a crash would lose its key. */
  isRemembered = true;

  /** Resolves once no outcome of its sends is being written by {@link keepRecording}. */
  recorded: Promise<unknown> = Promise.resolve();

  private sends = 0;
  /** Intents that are not in `intents`: being written, or not written and therefore not sent. */
  private withoutRecord: readonly (readonly [string, SendState])[] = [];

  constructor(
    public record: TradeRequestRecord,
    /** The kill switch is read once more before each send of it. */
    readonly killGated: boolean,
    private state: RequestState = 'reserved',
  ) {}

  get key(): string {
    return this.record.key;
  }

  get clientOrderId(): string | null {
    return this.record.clientOrderId;
  }

  /** Whether a handler of this process is running it. */
  get running(): boolean {
    return isHandled(this.state);
  }

  /** The record as clients see it: with its answer once that and all outcomes are on disk, or kept because the disk fails. */
  get shown(): TradeRequestRecord {
    const { record } = this;
    if (!this.running || record.status === 'in_progress') return record;
    const { settledAtRunningMs: _, ...asked } = record;
    return { ...asked, status: 'in_progress', settledAtMs: null, responseStatus: null, response: null };
  }

  /** State for the request-life table. A void of the key is stored separately. */
  get life(): RequestLife {
    const written = [...this.intents.values()].map(({ id, outcome }) => [id, sendStateOf(outcome)] as const);
    return { state: this.state, sends: Object.fromEntries([...written, ...this.withoutRecord]) };
  }

  /** The step that an event would cause, without taking it. */
  decide(event: RequestEvent, mark: VoidMark = 'none'): Step {
    return step(withVoid(this.life, mark), event);
  }

  /** Takes one step. A refused step changes nothing. */
  take(event: RequestEvent, mark: VoidMark = 'none'): Step {
    const result = this.decide(event, mark);
    if (result.kind === 'refused') return result;
    this.state = result.life.state;
    this.withoutRecord = Object.entries(result.life.sends).filter(
      ([, send]) => send === 'writing' || send === 'unwritten',
    );
    return result;
  }

  /**
   * Ends the writing of an intent.
   * @returns whether it may be sent
   */
  written(intent: IntentRecord, event: WrittenIntent): boolean {
    const result = this.take(event);
    const isSent = result.kind === 'moved' && result.effects.includes('submit');
    if (isSent) this.intents.set(intent.id, intent);
    return isSent;
  }

  /** Settles one of its sends. @returns null when the outcome of the send is settled already */
  settle(intent: IntentRecord, outcome: SettledOutcome): IntentRecord | null {
    const result = this.take({ kind: 'settle', send: intent.id, outcome: sendStateOf(outcome) });
    if (result.kind === 'refused') return null;
    const settled = { ...intent, outcome };
    this.intents.set(intent.id, settled);
    return settled;
  }

  /** Lets the handler go on while an outcome is written; the answer and the next send wait for it. */
  keepRecording(outcome: Promise<void>): void {
    this.recorded = Promise.all([this.recorded, outcome]);
    // Those who wait get the error. Until one does, it must not end the process.
    this.recorded.catch(() => undefined);
  }

  /** Sets the record's status to that of the life, and the answer. @param now UTC and running milliseconds */
  answered(response: StoredResponse, now: { readonly utcMs: number; readonly runningMs: number }): void {
    const { record } = this;
    const status = statusOf(this.state);
    if (status === null) throw new Error(`there is no answer to a request that is ${this.state}`);
    const isOpen = isOpenStatus(status);
    this.record = {
      ...record,
      status,
      settledAtMs: isOpen ? null : (record.settledAtMs ?? now.utcMs),
      ...(isOpen ? {} : { settledAtRunningMs: record.settledAtRunningMs ?? now.runningMs }),
      ...{ responseStatus: response.status, response: response.body },
    };
  }

  /** The id of the next send. */
  nextIntentId(): string {
    return `${this.record.id}/${this.sends++}`;
  }

  /** Binds it to the account that its send goes to, unless it is bound to one. @param login of that account */
  bindTo(login: number | null): void {
    if (login !== null) this.record = { ...this.record, login: this.record.login ?? login };
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
    return [...this.intents.values()].filter(({ outcome }) => outcome.kind === 'pending' || outcome.kind === 'unknown');
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

/** Starts a request. @param nowMs UTC milliseconds */
export function begun(identity: TradeIdentity, id: string, nowMs: number, killGated: boolean): TradeAttempt {
  const record: TradeRequestRecord = {
    ...identity,
    id,
    key: identity.clientOrderId ?? keyOfNameless(id),
    status: 'in_progress',
    createdAtMs: nowMs,
    settledAtMs: null,
    responseStatus: null,
    response: null,
  };
  return new TradeAttempt(record, killGated);
}

/** The journal's key of a request without a client's key. It is not ASCII, so no client can name it. */
export function keyOfNameless(id: string): string {
  return `§${id}`;
}

/** Restores a request of an earlier process from disk. */
export function revived(record: TradeRequestRecord, intents: readonly IntentRecord[]): TradeAttempt {
  const sends = Object.fromEntries(intents.map(({ id, outcome }) => [id, sendStateOf(outcome)]));
  const attempt = new TradeAttempt(record, true, storedLife(record.status, sends).state);
  for (const intent of intents) attempt.intents.set(intent.id, intent);
  return attempt;
}

function sendStateOf(outcome: SettledOutcome): Exclude<SendState, 'writing' | 'unwritten' | 'pending'>;
function sendStateOf(outcome: IntentOutcome): SendState;
function sendStateOf(outcome: IntentOutcome): SendState {
  return outcome.kind === 'unknown' && outcome.undecidable ? 'undecidable' : outcome.kind;
}
